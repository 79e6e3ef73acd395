import fc from 'fast-check';

/**
 * Any character, except unpaired surrogates. The unit `binary` of fast-check would build a table of all characters,
 * which takes a second.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10_ffff }))
  .map((code) => String.fromCodePoint(code));
