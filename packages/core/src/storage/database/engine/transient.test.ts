import { expect, test } from 'vitest';
import { isConnectionFailure, isTransient, mayHaveExecuted } from './transient.ts';

function databaseError(code: string, routine?: string, message = 'message'): Error {
  return Object.assign(new Error(message), { code, routine });
}

const LOST_WORKER = databaseError(
  'XX000',
  'ReportResultError',
  'server closed the connection unexpectedly\n\tbefore or while processing the request.\ninvalid socket',
);

test.each([
  ['a lost connection', databaseError('08006'), { isLost: true, retries: true, mayHaveRun: true }],
  ['a lost worker of a cluster', LOST_WORKER, { isLost: true, retries: true, mayHaveRun: true }],
  [
    'a lost worker without a text',
    databaseError('XX000', 'ReportResultError', ''),
    { isLost: true, retries: true, mayHaveRun: true },
  ],
  [
    'a worker that is lost while a transaction is prepared',
    databaseError(
      'XX000',
      'StartRemoteTransactionPrepare',
      "failed to prepare transaction 'citus_0_1' on host a:1",
    ),
    { isLost: true, retries: true, mayHaveRun: true },
  ],
  [
    'another internal error of a worker',
    databaseError('XX000', 'ReportResultError', 'cache lookup failed for type 7'),
    { isLost: false, retries: false, mayHaveRun: false },
  ],
  [
    'an internal error that has the text of a lost worker, but is from another routine',
    databaseError('XX000', 'elog', LOST_WORKER.message),
    { isLost: false, retries: false, mayHaveRun: false },
  ],
  ['a shutdown', databaseError('57P01'), { isLost: false, retries: true, mayHaveRun: true }],
  ['a deadlock', databaseError('40P01'), { isLost: false, retries: true, mayHaveRun: false }],
  [
    'a server that PgBouncer cannot reach',
    databaseError('08P01'),
    { isLost: true, retries: true, mayHaveRun: true },
  ],
  [
    'a protocol violation that Postgres reports',
    databaseError('08P01', 'exec_bind_message'),
    { isLost: false, retries: false, mayHaveRun: false },
  ],
  ['an error without a code', new Error('bug'), { isLost: false, retries: false, mayHaveRun: false }],
])(
  'decides for %s whether the server is lost, a retry can help, and the statement may have run',
  (_name, error, expected) => {
    expect({
      isLost: isConnectionFailure(error),
      retries: isTransient(error),
      mayHaveRun: mayHaveExecuted(error),
    }).toEqual(expected);
  },
);
