/** The characters that a spreadsheet may take for the beginning of a formula, and `csvRecord`'s mark against them. */
const FORMULA_START = /^[=+\-@'"\s]/;
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * A name in a CSV file: one line, without characters that could begin a formula, and without separators of other
 * locales. Cut to `max` code points.
 */
export function csvName(text: string, max: number): string {
  let name = text.replace(/\s/g, ' ').replace(INVISIBLE, '').replaceAll(';', ',').trim();
  while (FORMULA_START.test(name)) name = name.slice(1);
  return [...name].slice(0, max).join('').trim();
}

/** Whether an account, such as an email address, can be a cell as it is. It must never be changed. */
export function isSafeCell(text: string): boolean {
  return !FORMULA_START.test(text) && !/[;,"]/.test(text) && text.search(INVISIBLE) === -1;
}
