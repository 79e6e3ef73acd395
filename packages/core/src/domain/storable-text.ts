/** Replaces the characters that Postgres cannot store: NUL and unpaired surrogates. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\u{fffd}').toWellFormed();
}
