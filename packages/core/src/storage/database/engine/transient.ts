/** Error codes after which a retry can succeed. */
const TRANSIENT_CODES = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '08000', // connection_exception
  '08001', // sqlclient_unable_to_establish_sqlconnection
  '08003', // connection_does_not_exist
  '08006', // connection_failure
  'EPIPE',
  'ETIMEDOUT',
]);

/** The connection to the database was lost before the commit. Nothing is stored. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  readonly code = '08006';
}

/**
 * Whether the database server, or a worker of a Citus cluster, cannot be reached. For a worker, the coordinator
 * reports the same codes.
 */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code === PROTOCOL_VIOLATION) return isPoolerError(error);
  return code.startsWith('08') || isLostWorkerError(error);
}

/** Whether a server may have executed a statement before it reported this error. */
export function mayHaveExecuted(error: unknown): boolean {
  return isConnectionFailure(error) || PROCESS_ENDED.has(codeOf(error));
}

/** Whether the database failed for a temporary reason: a deadlock, a busy file or a lost connection. */
export function isTransient(error: unknown): boolean {
  const code = codeOf(error);
  if (code === PROTOCOL_VIOLATION) return isPoolerError(error);
  if (isLostWorkerError(error)) return true;
  return TRANSIENT_CODES.has(code) || code.startsWith('SQLITE_BUSY') || code.startsWith('ECONN');
}

const PROTOCOL_VIOLATION = '08P01';
const INTERNAL_ERROR = 'XX000';
/** The errors admin_shutdown and crash_shutdown. */
const PROCESS_ENDED = new Set(['57P01', '57P02']);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Matches messages of libpq about a closed connection. The message is empty if libpq reports none. */
const CLOSED_BY_WORKER = /^$|connection|socket|(?:from|to|with) server/;
const LOST_AT_COMMIT = /^(?:failed to prepare transaction|failure on connection marked as essential)/;

/**
 * Whether a worker of a Citus cluster closed its connection during a statement, for example because it was killed. The
 * coordinator reports this as an internal error.
 */
function isLostWorkerError(error: unknown): boolean {
  if (codeOf(error) !== INTERNAL_ERROR || !(error instanceof Error)) return false;
  const isForwarded = 'routine' in error && error.routine === 'ReportResultError';
  return (isForwarded ? CLOSED_BY_WORKER : LOST_AT_COMMIT).test(error.message);
}

/**
 * Whether PgBouncer has sent the error. It uses the code `protocol_violation` for a server that it cannot reach, a
 * lost server connection and a full queue. Unlike errors of Postgres, its errors have no `routine`.
 */
function isPoolerError(error: unknown): boolean {
  return error instanceof Error && (!('routine' in error) || error.routine === undefined);
}
