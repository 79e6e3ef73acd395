import { sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows } from '../database/rows.ts';
import type { LedgerAccount, LedgerEntryTable } from '../database/schema-money.ts';
import { fold } from '../tracking/counters.ts';

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

/** What a partner earns. */
export interface Credit {
  readonly subject: LedgerSubject;
  readonly kind: 'commission' | 'adjustment';
  readonly amountCents: number;
}

/** Credits what partners earn to their balances in the programs and over all programs. */
export async function creditPartners(tx: Transaction, credits: readonly Credit[]): Promise<void> {
  const movements = credits
    .filter(({ amountCents }) => amountCents !== 0)
    .flatMap(({ subject, kind, amountCents }) =>
      SCOPES.map((scope): Movement => ({ subject, scope, kind, ...EARNING, amountCents })),
    );
  // The balances in programs before those over all programs, as a single movement has them.
  for (const scope of SCOPES) {
    await addToBalances(
      tx,
      movements.filter((movement) => movement.scope === scope),
    );
  }
  await insertRows(tx, 'ledger_entries', movements.map(toEntry));
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

interface Movement {
  readonly subject: LedgerSubject;
  readonly scope: Scope;
  readonly kind: Kind;
  readonly debitAccount: LedgerAccount;
  readonly creditAccount: LedgerAccount;
  readonly amountCents: number;
}

const EARNING = { debitAccount: 'advertiser_cost', creditAccount: 'partner_payable' } as const;

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
  const movement = { subject, scope, kind, debitAccount, creditAccount, amountCents };
  const [balanceCents] = await addToBalances(tx, [movement]);
  if (balanceCents === undefined) throw new Error('A balance was not moved');
  await insertRows(tx, 'ledger_entries', [toEntry(movement)]);
  return balanceCents;
}

function toEntry({ subject, scope, kind, debitAccount, creditAccount, amountCents }: Movement) {
  return {
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
  };
}

/** @returns each balance that was moved, as it is now */
async function addToBalances(tx: Transaction, movements: readonly Movement[]): Promise<number[]> {
  const rows = fold(
    movements.map(({ subject, scope, debitAccount, creditAccount, amountCents }) => ({
      program_id: scope === 'partner' ? 0 : subject.programId,
      partner_id: subject.partnerId,
      currency: subject.currency,
      balance_cents:
        (OWED.includes(creditAccount) ? amountCents : 0) - (OWED.includes(debitAccount) ? amountCents : 0),
    })),
    ({ program_id, partner_id, currency }) => [program_id, partner_id, currency],
    (sum, { balance_cents }) => ({ ...sum, balance_cents: sum.balance_cents + balance_cents }),
  );
  const moved = await insertRows<{ balance_cents: number }>(
    tx,
    'balances',
    rows,
    sql`ON CONFLICT (program_id, partner_id, currency) DO UPDATE
      SET balance_cents = balances.balance_cents + excluded.balance_cents RETURNING balance_cents`,
  );
  return moved.map((row) => row.balance_cents);
}
