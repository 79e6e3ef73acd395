/**
 * Matches a character that starts a formula in a spreadsheet, such as `=`. Also matches the characters that can come
 * before the formula: quotes, white space, and the `'` that `csvRecord` adds.
 */
const FORMULA_START = /^[=+\-@'"\s]/;
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Converts a name for a CSV file. The result is one line of at most `max` code points. It cannot be read as a
 * formula. It contains no `;`, because spreadsheets split cells there in some locales.
 */
export function csvName(text: string, max: number): string {
  let name = text.replace(/\s/g, ' ').replace(INVISIBLE, '').replaceAll(';', ',').trim();
  while (FORMULA_START.test(name)) name = name.slice(1);
  return [...name].slice(0, max).join('').trim();
}

/**
 * Whether an account, such as an email address, can be written into a cell unchanged. Changing it would
 * change who is paid.
 */
export function isSafeCell(text: string): boolean {
  return !FORMULA_START.test(text) && !/[;,"]/.test(text) && text.search(INVISIBLE) === -1;
}
