import { sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { LedgerAccount, LedgerEntryTable } from './schema-money.ts';

/** Whom a movement concerns, and what made it. */
export interface LedgerSubject {
  readonly programId: number;
  readonly partnerId: number;
  readonly currency: string;
  readonly commissionId?: number;
  readonly refundId?: number;
  readonly adjustmentId?: number;
  readonly payoutId?: number;
  readonly at: number;
}

type Scope = LedgerEntryTable['scope'];
type Kind = LedgerEntryTable['kind'];
const SCOPES: readonly Scope[] = ['partner_program', 'partner'];

/** What a partner is owed stands on these two: a payout in progress is owed still. */
const OWED: readonly LedgerAccount[] = ['partner_payable', 'payout_clearing'];

/** Credits what a partner earns to its balance in the program and over all programs. */
export async function creditPartner(
  tx: Transaction,
  subject: LedgerSubject,
  kind: 'commission' | 'adjustment',
  amountCents: number,
): Promise<void> {
  if (amountCents === 0) return;
  for (const scope of SCOPES) {
    await post(tx, subject, scope, kind, 'advertiser_cost', 'partner_payable', amountCents);
  }
}

/**
 * Takes a deduction from both balances. `clampOf` is told each balance before and says what has to be given back
 * to it at once, against the advertiser's write-off.
 */
export async function debitPartner(
  tx: Transaction,
  subject: LedgerSubject,
  kind: 'deduction' | 'adjustment',
  deductionCents: number,
  clampOf: (balanceBeforeCents: number) => number,
): Promise<void> {
  if (deductionCents === 0) return;
  for (const scope of SCOPES) {
    const after = await post(tx, subject, scope, kind, 'partner_payable', 'advertiser_cost', deductionCents);
    const clampCents = clampOf(after + deductionCents);
    if (clampCents === 0) continue;
    await post(tx, subject, scope, 'clamp', 'advertiser_write_off', 'partner_payable', clampCents);
  }
}

/** The ways of a payout's money. Only the payment moves the balances. */
const PAYOUT_STEPS = {
  take: ['partner_payable', 'payout_clearing'],
  give_back: ['payout_clearing', 'partner_payable'],
  pay: ['payout_clearing', 'payout_paid'],
} as const satisfies Record<string, readonly [LedgerAccount, LedgerAccount]>;

/** Moves money of a payout one step on, or back. */
export async function movePayout(
  tx: Transaction,
  subject: LedgerSubject & { readonly payoutId: number },
  step: keyof typeof PAYOUT_STEPS,
  amountCents: number,
): Promise<void> {
  if (amountCents === 0) return;
  const [from, to] = PAYOUT_STEPS[step];
  for (const scope of SCOPES) await post(tx, subject, scope, 'payout', from, to, amountCents);
}

/** Holds off every other movement of the partner's money in the program until the work ends. */
export async function lockBalance(
  tx: Transaction,
  programId: number,
  partnerId: number,
  currency: string,
): Promise<void> {
  // SQLite has one writer at a time anyway.
  if (tx.dialect === 'sqlite') return;
  await tx.db
    .selectFrom('balances')
    .select('balance_cents')
    .where('program_id', '=', programId)
    .where('partner_id', '=', partnerId)
    .where('currency', '=', currency)
    .forUpdate()
    .execute();
}

/** Books one movement and moves the balance with it, which stays locked until the work ends. @returns that balance */
async function post(
  tx: Transaction,
  subject: LedgerSubject,
  scope: Scope,
  kind: Kind,
  debitAccount: LedgerAccount,
  creditAccount: LedgerAccount,
  amountCents: number,
): Promise<number> {
  const owedCents =
    (OWED.includes(creditAccount) ? amountCents : 0) - (OWED.includes(debitAccount) ? amountCents : 0);
  const balanceCents = await addToBalance(tx, subject, scope, owedCents);
  await tx.db
    .insertInto('ledger_entries')
    .values({
      program_id: subject.programId,
      scope,
      partner_id: subject.partnerId,
      currency: subject.currency,
      kind,
      debit_account: debitAccount,
      credit_account: creditAccount,
      amount_cents: amountCents,
      commission_id: subject.commissionId ?? null,
      refund_id: subject.refundId ?? null,
      payout_id: subject.payoutId ?? null,
      adjustment_id: subject.adjustmentId ?? null,
      created_at: subject.at,
    })
    .execute();
  return balanceCents;
}

async function addToBalance(
  tx: Transaction,
  subject: LedgerSubject,
  scope: Scope,
  cents: number,
): Promise<number> {
  const row = await tx.db
    .insertInto('balances')
    .values({
      program_id: scope === 'partner' ? 0 : subject.programId,
      partner_id: subject.partnerId,
      currency: subject.currency,
      balance_cents: cents,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['program_id', 'partner_id', 'currency'])
        .doUpdateSet({ balance_cents: sql`balances.balance_cents + excluded.balance_cents` }),
    )
    .returning('balance_cents')
    .executeTakeFirstOrThrow();
  return row.balance_cents;
}
