/** SQLSTATEs and SQLite codes that say: the same work can succeed when it is run again. */
const TRANSIENT = new Set([
  '40001',
  '40P01',
  '55P03',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '08000',
  '08003',
  '08006',
]);

/** Did the database refuse for a passing reason (deadlock, serialization, lost connection, busy)? */
export function isTransient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    TRANSIENT.has(code) || code.startsWith('SQLITE_BUSY') || code.startsWith('ECONN') || code === 'EPIPE'
  );
}
