/** A field of a CSV record. Text may come from an untrusted source. Null becomes an empty field. */
export type CsvCell = string | number | null;

/**
 * Matches the start of text that a spreadsheet may run as a formula (CSV injection). It also matches after each `;`,
 * because in locales with a decimal comma, spreadsheets separate cells at `;` instead of `,`. Quotes around a field do
 * not prevent this. For such a spreadsheet, the opening quote is usually in the middle of a cell, after a `,`, and has
 * no effect there.
 */
const CELL_FORMULA = /(^|;)("*[=+\-@\t\r])/g;
/**
 * Matches such a start after a line break inside the text. Quotes do not prevent this either, because some programs
 * split a file at every line break. The expression is separate, because a CR that `CELL_FORMULA` matches can also be
 * such a line break.
 */
const LINE_FORMULA = /([\r\n])("*[=+\-@\t])/g;
const CSV_SPECIAL = /[",;\r\n]/;

/**
 * Formats one RFC 4180 record, including the line break. Text that looks like a formula gets a leading `'`.
 */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}

function csvField(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(CELL_FORMULA, "$1'$2").replace(LINE_FORMULA, "$1'$2");
  return CSV_SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const CSV_SEPARATORS = [',', ';', '\t'] as const;

/** Returns the separator that is most frequent in the first line of a CSV text, outside of quotes. */
export function detectCsvSeparator(text: string): string {
  const header = (/[^\r\n]+/.exec(text)?.[0] ?? '').replaceAll(/"[^"]*"/g, '');
  const countOf = (separator: string) => header.split(separator).length;
  return CSV_SEPARATORS.reduce<string>(
    (best, next) => (countOf(next) > countOf(best) ? next : best),
    CSV_SEPARATORS[0],
  );
}
