/** A field of a CSV record: a text, which may be anybody's, or a number. Null is an empty one. */
export type CsvCell = string | number | null;

/**
 * What a spreadsheet would take for a formula, or for the way to one. Where numbers have a decimal comma it parts cells at
 * `;`, whatever stands in quotes that do not begin its cell.
 */
const FORMULA = /(?:^|;)(?="*[=+\-@\t\r])/g;
const SPECIAL = /[",;\r\n]/;

/** One record by RFC 4180, its line's end included. What looks like a formula in a text gets a leading `'`. */
export function csvRecord(cells: readonly CsvCell[]): string {
  return `${cells.map(csvField).join(',')}\r\n`;
}

function csvField(cell: CsvCell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const text = cell.replace(FORMULA, "$&'");
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
