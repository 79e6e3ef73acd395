import { trackSaleRequest, withoutAbsent } from '@affkit/protocol';
import { decideOccurredAt } from '../domain/occurred-at.ts';
import { isRejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { closeReferences, findByReference, tieReferences } from '../storage/processor-refs.ts';
import { findProgram, type ProgramAccount } from '../storage/programs.ts';
import { attachReferences } from '../tracking/payment-references.ts';
import { type CommissionOwed, recordSale, type SaleRecorded } from '../tracking/track-sale.ts';
import { type Decision, ignored } from './decision.ts';
import { mergeTwins } from './merge-twins.ts';
import type { EventContent } from './stripe-event.ts';

type Payment = Extract<EventContent, { kind: 'payment' }>;

/**
 * Records a payment once: one that is known already, by whichever of its ids, is given the others. What it ties
 * together is kept also where nothing is recorded, for whoever names one of its ids later.
 * @throws TakenMeanwhile
 */
export async function applyPayment(
  tx: Transaction,
  runtime: Runtime,
  workspaceId: number,
  payment: Payment,
  at: number | null,
): Promise<Decision> {
  const known = await applyTie(tx, runtime, workspaceId, payment.refs);
  if (known) return known;
  const { programId, clickId, customerKey } = payment.metadata;
  if (programId === undefined || (clickId === undefined && customerKey === undefined)) {
    return ignored('metadata_missing');
  }
  const program = await findOwnProgram(tx, workspaceId, programId);
  if (typeof program === 'string') return ignored(program);
  const sale = trackSaleRequest.safeParse(
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
  if (!sale.success) {
    const [field = 'event'] = sale.error.issues[0]?.path ?? [];
    return ignored(`invalid_${String(field)}`, { programId: program.id });
  }
  const { click_id, customer_key } = sale.data;
  const about = {
    programId: program.id,
    ...(click_id !== undefined && { clickId: click_id }),
    ...(customer_key !== undefined && { customerKey: customer_key }),
  };
  const occurredAt = new Date(decideEventTime(at, runtime.now())).toISOString();
  const record = (transaction_id: string) =>
    recordSale(tx, runtime, program, {
      ...sale.data,
      transaction_id,
      occurred_at: occurredAt,
      processor_refs: payment.refs.filter((ref) => ref !== transaction_id),
    });
  let recorded = await record(sale.data.transaction_id);
  if (!isRejection(recorded)) return told(recorded, about);
  if (recorded.code === 'duplicate_transaction' || recorded.code === 'transaction_id_taken') {
    // Another process recorded it since it was looked for above.
    const since = await applyTie(tx, runtime, workspaceId, payment.refs);
    if (since) return since;
    // Somebody else's sale has the id: it blocks no payment of this workspace.
    const suffix = Buffer.from(runtime.randomBytes(8)).toString('hex');
    recorded = await record(`${sale.data.transaction_id.slice(0, 230)}@${suffix}`);
    if (!isRejection(recorded)) return told(recorded, about);
  }
  // The token was good; it is the program that went away.
  return ignored(recorded.code === 'token_invalid' ? 'program_not_found' : recorded.code, about);
}

function told(
  recorded: SaleRecorded | CommissionOwed,
  about: Omit<Decision, 'outcome' | 'reason'>,
): Decision {
  const reason = recorded.kind === 'recorded' ? recorded.reason : recorded.kind;
  return { outcome: 'sale_recorded', reason, saleId: recorded.saleId, ...about };
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
  await mergeTwins(tx, runtime, workspaceId, closed.refs);
  await attachReferences(tx, runtime, workspaceId, sale, closed.refs);
  return { outcome: 'duplicate', reason: null, ...sale };
}

/** The program that metadata names, or why it can't be had: the connection reaches its own workspace's alone. */
export async function findOwnProgram(
  tx: Transaction,
  workspaceId: number,
  named: unknown,
): Promise<ProgramAccount | 'program_not_found' | 'foreign_program'> {
  const text = typeof named === 'string' || typeof named === 'number' ? String(named) : '';
  const id = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
  const program = id === null ? null : await findProgram(tx.db, id);
  if (!program) return 'program_not_found';
  return program.workspaceId === workspaceId ? program : 'foreign_program';
}

/** The event's own time, or now where it lies too far back or ahead for the service to count it so. */
export function decideEventTime(at: number | null, now: number): number {
  if (at === null) return now;
  const decided = decideOccurredAt(new Date(at).toISOString(), now);
  return isRejection(decided) ? now : decided;
}
