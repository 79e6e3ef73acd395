import { randomUUID } from 'node:crypto';
import { trackSaleRequest, withoutAbsent } from '@affkit/protocol';
import { isoTime } from '../domain/calendar.ts';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { parseRowId } from '../domain/row-id.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { insertNotification } from '../storage/accounts/notifications.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import type { ProcessorConnection } from '../storage/stripe/processor-connections.ts';
import {
  addReferences,
  closeReferences,
  findByReference,
  tieReferences,
} from '../storage/stripe/processor-refs.ts';
import { addTraceNote } from '../storage/tracking/outbox.ts';
import { findSale } from '../storage/tracking/sales.ts';
import { mergeSales } from '../tracking/merge-sales.ts';
import { settleParkedRefunds } from '../tracking/payment-references.ts';
import type { SaleInput, SaleOutcome } from '../tracking/sale.ts';
import { recordSale } from '../tracking/track-sale.ts';
import { type Decision, ignored } from './decision.ts';
import type { EventContent } from './stripe-event.ts';

type Payment = Extract<EventContent, { kind: 'payment' }>;

/** How a sale is refused whose transaction id another one has. */
const TAKEN_CODES: ReadonlySet<string> = new Set(['duplicate_transaction', 'transaction_id_taken']);

/**
 * Records a payment once: one that is known already, by whichever of its ids, is given the others. What it ties
 * together is kept also where nothing is recorded, for whoever names one of its ids later.
 * @throws TakenMeanwhile
 */
export async function applyPayment(
  tx: Transaction,
  runtime: Runtime,
  { id: connectionId, workspace_id: workspaceId }: Pick<ProcessorConnection, 'id' | 'workspace_id'>,
  payment: Payment,
  at: number | null,
): Promise<Decision> {
  const known = await applyTie(tx, runtime, workspaceId, payment.refs);
  const { programId, clickId, customerKey } = payment.metadata;
  if (known) return (await noteOtherProgram(tx, runtime, workspaceId, payment, known)) ?? known;
  if (programId === undefined || (clickId === undefined && customerKey === undefined)) {
    return ignored('metadata_missing');
  }
  const program = await findOwnProgram(tx, workspaceId, programId);
  if (typeof program === 'string') return ignored(program);
  const sale = readSale(payment);
  if (!sale.success) {
    const [field = 'event'] = sale.error.issues[0]?.path ?? [];
    return ignored(`invalid_${String(field)}`, { programId: program.id });
  }
  const about = { programId: program.id, ...namedCustomer(sale.data) };
  const occurredAt = decideEventTime(at, runtime.now());
  const wanted = {
    ...sale.data,
    occurred_at: isoTime(occurredAt),
    processor_refs: payment.refs.filter((ref) => ref !== payment.transactionId),
  };
  let recorded = await recordSale(tx, runtime, program, wanted);
  if (isRejection(recorded) && TAKEN_CODES.has(recorded.code)) {
    // Another process recorded it since it was looked for above.
    const since = await applyTie(tx, runtime, workspaceId, payment.refs);
    if (since) return since;
    recorded = await recordUnderOwnId(tx, runtime, connectionId, program, wanted);
  }
  if (!isRejection(recorded)) {
    const reason = recorded.kind === 'recorded' ? recorded.reason : recorded.kind;
    return { outcome: 'sale_recorded', reason, saleId: recorded.saleId, ...about };
  }
  // The token was good; it is the program that went away.
  return ignored(recorded.code === 'token_invalid' ? 'program_not_found' : recorded.code, about);
}

/**
 * Records a payment whose id serves another workspace as a transaction id: nobody outside may keep it from being
 * recorded. The payment's own ids stay with the sale as references, which are unique in the workspace alone.
 */
async function recordUnderOwnId(
  tx: Transaction,
  runtime: Runtime,
  connectionId: number,
  program: ProgramAccount,
  sale: SaleInput & { readonly processor_refs: readonly string[] },
): Promise<SaleOutcome> {
  const taken = sale.transaction_id;
  const processor_refs = [taken, ...sale.processor_refs];
  const record = (transaction_id: string) =>
    recordSale(tx, runtime, program, { ...sale, transaction_id, processor_refs });
  const ownId = `${taken}@${connectionId}`;
  let recorded = await record(ownId);
  // The id of a connection can be guessed.
  if (isRejection(recorded) && TAKEN_CODES.has(recorded.code))
    recorded = await record(`${ownId}.${randomUUID()}`);
  if (isRejection(recorded)) return recorded;
  const { saleId } = recorded;
  const row = await findSale(tx.db, program.id, saleId);
  await addTraceNote(tx, {
    programId: program.id,
    customerId: row?.customer_id ?? null,
    saleId,
    reason: 'transaction_id_taken_elsewhere',
    detail: taken,
    now: runtime.now(),
  });
  return recorded;
}

/** Of a payment that names a program, but was recorded by another of the workspace, both have to hear. */
async function noteOtherProgram(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  payment: Payment,
  known: Decision,
): Promise<Decision | null> {
  const program = await findOwnProgram(tx, workspaceId, payment.metadata.programId);
  if (typeof program === 'string' || known.programId === undefined || program.id === known.programId)
    return null;
  const sale = readSale(payment);
  await insertNotification(tx, {
    workspace_id: workspaceId,
    program_id: program.id,
    partner_id: null,
    kind: 'recorded_by_other_program',
    dedupe_key: `recorded_by_other_program:${program.id}:${known.programId}:${known.saleId}`,
    payload: JSON.stringify({
      transactionId: payment.transactionId,
      recordedByProgramId: known.programId,
      recordedSaleId: known.saleId,
    }),
    created_at: runtime.now(),
  });
  return ignored('recorded_by_other_program', {
    programId: program.id,
    ...(sale.success && namedCustomer(sale.data)),
  });
}

function readSale(payment: Payment) {
  const { clickId, customerKey } = payment.metadata;
  return trackSaleRequest.safeParse(
    withoutAbsent({
      transaction_id: payment.transactionId,
      amount_cents: payment.amountCents,
      // Of an absent one the schema would make dollars.
      currency: payment.currency ?? false,
      click_id: clickId,
      customer_key: customerKey,
      sale_type: payment.subscriptionId === null ? 'payment' : 'subscription',
      is_recurring: payment.subscriptionId !== null,
      subscription_id: payment.subscriptionId,
    }),
  );
}

function namedCustomer({ click_id, customer_key }: SaleInput): Pick<Decision, 'clickId' | 'customerKey'> {
  return {
    ...(click_id !== undefined && { clickId: click_id }),
    ...(customer_key !== undefined && { customerKey: customer_key }),
  };
}

/** Ties ids of one payment together. @returns null where no sale has one of them yet */
export async function applyTie(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  refs: readonly string[],
): Promise<Decision | null> {
  const closed = await closeReferences(tx.db, workspaceId, refs);
  const sale = await findByReference(tx.db, workspaceId, closed.refs);
  if (!sale) {
    await tieReferences(tx, workspaceId, refs);
    return null;
  }
  await addReferences(tx, workspaceId, sale, closed.refs);
  const standing = (await mergeSales(tx, runtime, workspaceId, closed.refs)) ?? sale;
  await settleParkedRefunds(tx, runtime, workspaceId, standing, closed.refs);
  return { outcome: 'duplicate', reason: null, ...standing };
}

/** The program that metadata names, or why it can't be had: the connection reaches its own workspace's alone. */
export async function findOwnProgram(
  tx: Transaction,
  workspaceId: number,
  named: unknown,
): Promise<ProgramAccount | 'program_not_found' | 'foreign_program'> {
  const id = typeof named === 'string' || typeof named === 'number' ? parseRowId(String(named)) : null;
  const program = id === null ? null : await findProgram(tx.db, id);
  if (!program) return 'program_not_found';
  return program.workspaceId === workspaceId ? program : 'foreign_program';
}

/** The event's own time, or now where it lies too far back or ahead for the service to count it so. */
export function decideEventTime(at: number | null, now: number): number {
  if (at === null) return now;
  const decided = decideOccurredAt(isoTime(at), now);
  return isRejection(decided) ? now : decided;
}
