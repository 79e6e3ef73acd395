import { toStorableText } from '../domain/storable-text.ts';
import { writeEmail } from '../emails/write-email.ts';
import { type MailMessage, MailRefused, type MailSettings } from '../mail/mailer.ts';
import type { Runtime } from '../runtime.ts';
import {
  claimEmail,
  deleteEmail,
  type EmailRow,
  findDueEmails,
  finishEmail,
  postponeEmail,
} from '../storage/accounts/emails.ts';
import { SERVICE_LANE } from '../storage/accounts/users.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { traceCall } from '../telemetry/trace-call.ts';
import { settleAll } from './failures.ts';

/** The maximum number of emails that are sent at the same time. */
const CONCURRENT_EMAILS = 10;
const SEND_TIMEOUT_MS = 60_000;
/**
 * The duration of a lease. A lease must last longer than a call of the mailer and the writes before and after
 * it.
 */
const LEASE_MS = 180_000;
const FIRST_RETRY_MS = 15_000;
const MAX_RETRY_MS = 3_600_000;
const MAX_ERROR_LENGTH = 500;

interface LeasedEmail {
  readonly row: EmailRow;
  readonly message: MailMessage;
}

/**
 * Sends due emails. A process leases an email, sends it outside of a transaction, and then stores the result.
 * If the process ends before it stores the result, the email is sent again with the same `Message-ID`.
 * @returns whether more emails may be due
 */
export async function deliverEmails(runtime: Runtime): Promise<boolean> {
  const { mail } = runtime;
  if (mail === null) return false;
  const due = await findDueEmails(runtime.engine.read, runtime.now(), CONCURRENT_EMAILS);
  const wasLeased = await settleAll(due.map((id) => deliverEmail(runtime, mail, id)));
  return wasLeased.includes(true);
}

/** @returns whether this process leased the email */
async function deliverEmail(runtime: Runtime, mail: MailSettings, id: number): Promise<boolean> {
  const leased = await leaseEmail(runtime, mail, id).catch((error: unknown) =>
    postponeUnwritten(runtime, id, error),
  );
  if (leased === 'expired') runtime.telemetry?.measure('affkit.email.attempts', 1, { outcome: 'given_up' });
  if (typeof leased === 'string') return leased !== 'taken';
  const error = await traceCall(
    runtime.telemetry,
    { name: 'send email', attributes: { 'affkit.email.kind': leased.row.kind } },
    () => send(mail, leased.message),
    (failure) => failure?.name ?? null,
  );
  const outcome = error === null ? 'succeeded' : error instanceof MailRefused ? 'given_up' : 'retried';
  runtime.telemetry?.measure('affkit.email.attempts', 1, { outcome });
  await runtime.engine.write(SERVICE_LANE, (tx) => storeResult(tx, runtime, leased, error));
  logFailure(runtime, leased, error);
  return true;
}

/** Leases an email, and composes it. */
function leaseEmail(
  runtime: Runtime,
  mail: MailSettings,
  id: number,
): Promise<LeasedEmail | 'taken' | 'expired' | 'done'> {
  return runtime.engine.write(SERVICE_LANE, async (tx) => {
    const now = runtime.now();
    const row = await claimEmail(tx, id, { now, leasedUntil: now + LEASE_MS });
    if (row === null) return 'taken';
    if (row.expires_at <= now) {
      const error = row.last_error ?? 'The email expired before it could be sent.';
      await finishEmail(tx, row, { status: 'failed', error, at: now });
      return 'expired';
    }
    const message = await writeEmail(tx, runtime, mail, row);
    if (message === null) await deleteEmail(tx, id);
    return message === null ? 'done' : { row, message };
  });
}

/**
 * Postpones an email that could not be composed, for example because a newer version has stored it. Otherwise, it
 * would stay at the front of the queue, and a few such emails would block all others.
 */
async function postponeUnwritten(runtime: Runtime, id: number, error: unknown): Promise<'taken' | 'done'> {
  // Members of the workspace see the stored text, so it must not contain internals. The log has the error.
  const reason = 'Affkit could not compose the email.';
  const isPostponed = await runtime.engine.write(SERVICE_LANE, async (tx) => {
    const now = runtime.now();
    const row = await claimEmail(tx, id, { now, leasedUntil: now + LEASE_MS });
    if (row !== null) await postponeEmail(tx, row, retryOf(row, now, reason));
    return row !== null;
  });
  if (isPostponed) runtime.telemetry?.measure('affkit.email.attempts', 1, { outcome: 'retried' });
  // Log only after the write. While the database is unavailable, the write throws, and the jobs log that error once.
  runtime.log.error({ err: error, email_id: id }, 'email could not be composed; it will be retried');
  return isPostponed ? 'done' : 'taken';
}

/** @returns the error, or null when the mailer accepted the email */
async function send({ mailer }: MailSettings, message: MailMessage): Promise<Error | null> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const error = new Error(`The mailer did not answer within ${SEND_TIMEOUT_MS / 1_000} seconds.`);
    timer = setTimeout(() => reject(error), SEND_TIMEOUT_MS);
  });
  try {
    await Promise.race([mailer.send(message), timeout]);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}

async function storeResult(
  tx: Transaction,
  runtime: Runtime,
  { row }: LeasedEmail,
  error: Error | null,
): Promise<void> {
  const at = runtime.now();
  if (error === null) return await finishEmail(tx, row, { status: 'sent', error: null, at });
  const retry = retryOf(row, at, error.message);
  if (error instanceof MailRefused)
    return await finishEmail(tx, row, { status: 'failed', error: retry.error, at });
  await postponeEmail(tx, row, retry);
}

function retryOf({ attempts }: EmailRow, at: number, error: string): { runAt: number; error: string } {
  const delayMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 10));
  return { runAt: at + delayMs, error: toStorableText(error.slice(0, MAX_ERROR_LENGTH)) };
}

function logFailure(runtime: Runtime, { row }: LeasedEmail, error: Error | null): void {
  if (error === null) return;
  // The mail server's error may contain the recipient's email address. The address must not be logged.
  const reason = error.message.replaceAll(row.recipient, '(recipient)');
  const fields = { email_id: row.id, kind: row.kind, attempts: row.attempts, reason };
  if (error instanceof MailRefused) runtime.log.warn(fields, 'email was refused; it will not be retried');
  else runtime.log.error(fields, 'email could not be sent; it will be retried');
}
