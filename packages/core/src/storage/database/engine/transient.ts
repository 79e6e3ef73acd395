/**
 * Codes that say: the same work can succeed when it is run again. SQLSTATEs of Postgres: serialization, deadlock,
 * lock not available, too many connections, a server that shuts down or starts, a session that the server ended
 * (idle in a transaction, idle), and a lost connection.
 */
const TRANSIENT = new Set([
  '40001',
  '40P01',
  '55P03',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '25P03',
  '08000',
  '08001',
  '08003',
  '08006',
  'EPIPE',
  'ETIMEDOUT',
]);

/** The connection to the database broke before the commit: nothing was stored. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = '08006';
}

/** Did the database refuse for a passing reason (deadlock, serialization, lost connection, busy)? */
export function isTransient(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TRANSIENT.has(code) || code.startsWith('SQLITE_BUSY') || code.startsWith('ECONN');
}
