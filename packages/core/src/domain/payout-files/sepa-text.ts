/** The characters of the EPC's guidelines (EPC217-08) that every bank must accept. */
const SEPA_TEXT = /^[A-Za-z0-9/\-?:().,'+ ]*$/;

/** Replacements for letters that Unicode does not decompose into a Latin letter and accents. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  Æ: 'AE',
  æ: 'ae',
  Ð: 'D',
  ð: 'd',
  Đ: 'D',
  đ: 'd',
  ı: 'i',
  Ł: 'L',
  ł: 'l',
  Ø: 'O',
  ø: 'o',
  Œ: 'OE',
  œ: 'oe',
  ß: 'ss',
  ẞ: 'SS',
  Þ: 'TH',
  þ: 'th',
  '&': '+',
  _: '-',
  '‐': '-',
  '–': '-',
  '—': '-',
  '‘': "'",
  '’': "'",
  '`': "'",
  '"': "'",
  '“': "'",
  '”': "'",
  ';': ',',
};

/**
 * Transliterates a text to the characters that SEPA allows, and cuts it to `max` characters.
 *
 * @returns null when a character has no transliteration, or nothing is left
 */
export function sepaText(text: string, max: number): string | null {
  const letters = [...text.normalize('NFKC')].map((letter) => REPLACEMENTS[letter] ?? letter).join('');
  const plain = letters.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll(/\s+/g, ' ').trim();
  if (plain === '' || !SEPA_TEXT.test(plain)) return null;
  // Banks may treat a slash at the beginning or end, and two slashes in a row, as separators.
  const shortened = plain.replaceAll(/\/+/g, '/').replace(/^\//, '').slice(0, max).replace(/\/$/, '').trim();
  return shortened === '' ? null : shortened;
}
