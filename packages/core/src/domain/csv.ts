/** A cell that a spreadsheet would run begins with one of these. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A record as RFC 4180 has it, with its CRLF. A text that a spreadsheet would take for a formula gets a leading
 * apostrophe; numbers are given as they are.
 */
export function csvRecord(cells: readonly (string | number | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | null): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
