import { isSubscription } from '../domain/processor-ref.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { type CommissionRow, lockCommissionOfSale } from '../storage/money/commissions.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { listReferencesOfSale } from '../storage/stripe/processor-refs.ts';
import { addTraceNote, deleteOutboxRow, enqueue, lockOwedCommission } from '../storage/tracking/outbox.ts';
import { type SaleRow, setNoCommissionReason } from '../storage/tracking/sales.ts';
import { type CommissionBasis, type CommissionPlan, decideCommission } from './decide-commission.ts';
import { loadCommissionRules } from './load-commission-rules.ts';
import { namesUnverifiedKey } from './names-unverified-key.ts';
import { type NewCommission, saveCommission } from './save-commissions.ts';

/** The payload of a repair, which is the job that stores the missing commission of a sale. Stored as JSON. */
interface RepairPayload {
  readonly sale: CommissionBasis;
  /** Null if no policy applied to the sale. The repair then decides the commission again. */
  readonly plan: CommissionPlan | null;
}

/**
 * The payload of a job, stored as JSON. After a repair has stored the first commission of a subscription, the job
 * decides again about the renewals of the subscription.
 */
export interface RenewalsPayload {
  readonly customerId: number;
  readonly subscriptionIds: readonly string[];
}

/**
 * Logs that the commission of a stored sale could not be stored, and schedules a repair by a background job.
 */
export async function scheduleCommissionRepair(
  tx: Transaction,
  runtime: Runtime,
  { program, saleId, basis, plan }: Omit<NewCommission, 'plan'> & Pick<RepairPayload, 'plan'>,
  error: unknown,
  now: number,
): Promise<void> {
  const fields = { err: error, sale_id: saleId, program_id: program.id };
  runtime.log.error(fields, 'commission could not be stored; a background job will retry');
  await addTraceNote(tx, {
    programId: program.id,
    customerId: basis.customerId,
    saleId,
    reason: 'commission_owed',
    detail: null,
    now,
  });
  const payload = { sale: basis, plan } satisfies RepairPayload;
  await enqueue(tx, program.id, 'make_commission', saleId, payload, now);
}

/**
 * Stores the missing commission of a sale on the terms that were decided when the sale was recorded. The
 * caller must have checked that the sale has no commission. If the sale is the first sale of a subscription, a job
 * will decide the renewals again.
 * @returns the commission of the sale, or null when the sale earns none
 */
export async function repairCommission(
  tx: Transaction,
  runtime: Pick<Runtime, 'log' | 'now'>,
  program: ProgramAccount,
  sale: Pick<
    SaleRow,
    'id' | 'program_id' | 'customer_key' | 'window_days' | 'min_sale_cents' | 'subscription_id'
  >,
): Promise<CommissionRow | null> {
  const now = runtime.now();
  const repair = await lockOwedCommission(tx, program.id, sale.id);
  // Another process may have stored the commission while this process waited for the lock.
  if (!repair) return await lockCommissionOfSale(tx, program.id, sale.id);
  const currentProgram = (await lockProgramShared(tx, program.id)) ?? program;
  // Use the window and the minimum that are stored with the sale, because the trace explains the commission with
  // these values.
  const account = {
    ...currentProgram,
    cookieWindowDays: sale.window_days ?? currentProgram.cookieWindowDays,
    minSaleCents: sale.min_sale_cents ?? currentProgram.minSaleCents,
  };
  const { plan, sale: reported } = JSON.parse(repair.payload) as RepairPayload;
  // The key may have been confirmed, and the subscription may have been reported, after the sale was recorded.
  const isKeyClaimed =
    reported.isKeyClaimed === true && (await namesUnverifiedKey(tx, sale, reported.customerId));
  const subscriptionId = sale.subscription_id ?? reported.subscriptionId;
  const basis = { ...reported, isKeyClaimed, subscriptionId };
  const endsReview = plan?.needsApproval === true && !isKeyClaimed;
  const decision = plan
    ? { kind: 'commission' as const, plan: endsReview ? { ...plan, needsApproval: false } : plan }
    : await decideRepairedCommission(tx, account, basis);
  if (decision.kind === 'no_policy')
    throw new Error(`Program ${program.id} has no commission policy for the sale`);
  if (decision.kind === 'commission') {
    const commission = { program: account, saleId: sale.id, basis, plan: decision.plan };
    await saveCommission(tx, runtime, commission, now);
    if (endsReview) {
      const { customerId } = basis;
      const note = { programId: program.id, customerId, saleId: sale.id, detail: null, now };
      await addTraceNote(tx, { ...note, reason: 'customer_key_confirmed' });
    }
    if (decision.plan.firstCommissionId === null) await enqueueRenewals(tx, program, sale.id, basis, now);
  } else await setNoCommissionReason(tx, program.id, sale.id, decision.reason);
  await deleteOutboxRow(tx, repair.id);
  return await lockCommissionOfSale(tx, program.id, sale.id);
}

async function enqueueRenewals(
  tx: Transaction,
  program: ProgramAccount,
  saleId: number,
  { customerId, subscriptionId }: CommissionBasis,
  now: number,
): Promise<void> {
  const refs = await listReferencesOfSale(tx.db, { programId: program.id, saleId });
  const named = subscriptionId === null ? [] : [subscriptionId];
  const subscriptionIds = [...new Set([...named, ...refs.filter(isSubscription)])];
  if (subscriptionIds.length === 0) return;
  const payload = { customerId, subscriptionIds } satisfies RenewalsPayload;
  await enqueue(tx, program.id, 'decide_renewals', saleId, payload, now);
}

async function decideRepairedCommission(tx: Transaction, program: ProgramAccount, basis: CommissionBasis) {
  const sale = { program, basis };
  const rulesOf = await loadCommissionRules(tx, [sale]);
  return decideCommission(program, basis, rulesOf(sale));
}
