/** Did the database refuse a statement because it has no such table? */
export function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // SQLite has no code of its own for it. Postgres: undefined_table
  return error.message.startsWith('no such table: ') || ('code' in error && error.code === '42P01');
}
