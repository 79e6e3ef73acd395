/** Whether a statement failed because a table does not exist. */
export function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // SQLite has no error code for this. 42P01 is `undefined_table` of Postgres.
  return error.message.startsWith('no such table: ') || ('code' in error && error.code === '42P01');
}
