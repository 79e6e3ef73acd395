import type { Kysely } from 'kysely';
import { DAY_MS, isoTime } from '../domain/calendar.ts';
import { UNATTRIBUTED_REASONS } from '../processor/decision.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { Schema } from '../storage/database/schema.ts';
import type { NotificationKind } from '../storage/database/schema-accounts.ts';
import { findFirstProgram, findProgram } from '../storage/programs/programs.ts';
import { wasPaymentIgnored } from '../storage/stripe/processor-events.ts';
import { findAllPaymentIds, findSaleByPaymentIds } from '../storage/stripe/processor-refs.ts';
import { findImportOfPayment } from '../tracking/find-import-of-payment.ts';
import { attachReferences } from '../tracking/payment-references.ts';

const PARKED_BATCH_SIZE = 100;
/** The time that a refund or dispute waits for its payment before the advertiser is notified. */
const PARKED_WARNING_MS = DAY_MS;
/**
 * If the check of a row fails, the check is retried after this time. Until then, the row does not block other
 * rows.
 */
const PARKED_CHECK_RETRY_MS = 600_000;

/** The columns that parked refunds and parked disputes have in common. */
interface ParkedRow {
  readonly workspace_id: number;
  readonly charge: string;
  readonly program_id: number | null;
  readonly parked_at: number;
  readonly check_at: number | null;
}

/** A notification that the payment of a parked refund or dispute is still missing after a day. */
interface ParkedWarning {
  readonly kind: NotificationKind;
  /** The id of the refunded charge, or of the dispute. */
  readonly id: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The functions that access parked refunds, or parked disputes. */
interface ParkedTable<Key extends { readonly workspace_id: number }, Row extends Key & ParkedRow> {
  /** Used in log messages. */
  readonly name: 'refund' | 'dispute';
  findDue(db: Kysely<Schema>, now: number, limit: number): Promise<readonly Key[]>;
  lock(tx: Transaction, key: Key): Promise<Row | null>;
  setCheckAt(tx: Transaction, row: Row, checkAt: number | null): Promise<unknown>;
  /** @returns null when no notification is needed, because no money was refunded or withdrawn */
  describeWarning(tx: Transaction, row: Row): Promise<ParkedWarning | null>;
}

/**
 * Checks each parked refund or dispute twice. Parked rows wait for a sale that is not recorded yet. The first
 * check, a minute after parking, finds a sale that another process stored concurrently. The second check is
 * after a day. If there is still no sale, the advertiser is notified.
 * @returns whether more work may be due
 */
export async function checkParked<Key extends { readonly workspace_id: number }, Row extends Key & ParkedRow>(
  runtime: Runtime,
  table: ParkedTable<Key, Row>,
): Promise<boolean> {
  const due = await table.findDue(runtime.engine.read, runtime.now(), PARKED_BATCH_SIZE);
  for (const key of due) {
    const withLockedRow = (act: (tx: Transaction, parked: Row, now: number) => Promise<unknown>) =>
      runtime.engine.write(key.workspace_id, async (tx) => {
        const locked = await table.lock(tx, key);
        const now = runtime.now();
        if (locked && locked.check_at !== null && locked.check_at <= now) await act(tx, locked, now);
      });
    await withLockedRow((tx, parked, now) => checkParkedRow(tx, runtime, table, parked, now)).catch(
      async (error: unknown) => {
        const message = `parked ${table.name} could not be checked; it will be retried`;
        runtime.log.error({ err: error, ...key }, message);
        await withLockedRow((tx, parked, now) => table.setCheckAt(tx, parked, now + PARKED_CHECK_RETRY_MS));
      },
    );
  }
  return due.length === PARKED_BATCH_SIZE;
}

async function checkParkedRow<Key extends { readonly workspace_id: number }, Row extends Key & ParkedRow>(
  tx: Transaction,
  runtime: Runtime,
  table: ParkedTable<Key, Row>,
  parked: Row,
  now: number,
): Promise<void> {
  const { workspace_id, charge, parked_at } = parked;
  // When the import is finished, it makes this job check the row again.
  if (await findImportOfPayment(tx, workspace_id, [charge], now))
    return void (await table.setCheckAt(tx, parked, null));
  const { refs } = await findAllPaymentIds(tx, workspace_id, [charge], now);
  const sale = await findSaleByPaymentIds(tx.db, workspace_id, refs);
  if (sale) return attachReferences(tx, runtime, workspace_id, sale, refs);
  const isOverdue = now >= parked_at + PARKED_WARNING_MS;
  await table.setCheckAt(tx, parked, isOverdue ? null : parked_at + PARKED_WARNING_MS);
  const warning = isOverdue && (await table.describeWarning(tx, parked));
  if (!warning || (await wasPaymentIgnored(tx.db, workspace_id, refs, UNATTRIBUTED_REASONS))) return;
  await notifyMissingPayment(tx, parked, warning, now);
}

/**
 * Notifies the advertiser. Every notification belongs to a program: the program of the row, or else the first
 * program of the workspace.
 */
async function notifyMissingPayment(
  tx: Transaction,
  { workspace_id, program_id, parked_at }: ParkedRow,
  { kind, id, payload }: ParkedWarning,
  now: number,
): Promise<void> {
  const named = program_id === null ? null : await findProgram(tx.db, program_id);
  const program = named ?? (await findFirstProgram(tx.db, workspace_id));
  if (!program) return;
  await insertNotification(tx, {
    workspace_id,
    program_id: program.id,
    partner_id: null,
    kind,
    dedupe_key: `${kind}:${workspace_id}:${id}`,
    payload: JSON.stringify({ ...payload, parkedAt: isoTime(parked_at) }),
    created_at: now,
  });
}
