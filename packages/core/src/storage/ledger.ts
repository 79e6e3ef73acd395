import { sql } from 'kysely';
import type { Transaction } from './engine/engine.ts';
import type { LedgerAccount } from './schema.ts';

/** Whom a movement concerns, and what made it. */
export interface LedgerSubject {
  readonly programId: number;
  readonly partnerId: number;
  readonly currency: string;
  readonly commissionId: number | null;
  readonly refundId: number | null;
  readonly at: number;
}

type Scope = 'partner_program' | 'partner';
const SCOPES: readonly Scope[] = ['partner_program', 'partner'];

/** Credits a commission to the partner's balance in the program and over all programs. */
export async function creditCommission(
  tx: Transaction,
  subject: LedgerSubject,
  amountCents: number,
): Promise<void> {
  if (amountCents === 0) return;
  for (const scope of SCOPES) {
    await addToBalance(tx, subject, scope, amountCents);
    await addEntry(tx, subject, scope, 'commission', 'advertiser_cost', 'partner_payable', amountCents);
  }
}

/**
 * Takes a deduction from both balances. `clampOf` is told each balance before and says what has to be given back
 * to it at once, against the advertiser's write-off.
 */
export async function deductCommission(
  tx: Transaction,
  subject: LedgerSubject,
  deductionCents: number,
  clampOf: (balanceBeforeCents: number) => number,
): Promise<void> {
  if (deductionCents === 0) return;
  for (const scope of SCOPES) {
    const after = await addToBalance(tx, subject, scope, -deductionCents);
    await addEntry(tx, subject, scope, 'deduction', 'partner_payable', 'advertiser_cost', deductionCents);
    const clampCents = clampOf(after + deductionCents);
    if (clampCents > 0) {
      await addToBalance(tx, subject, scope, clampCents);
      await addEntry(tx, subject, scope, 'clamp', 'advertiser_write_off', 'partner_payable', clampCents);
    }
  }
}

/** Moves a balance, which stays locked until the work ends. @returns the balance after it */
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

async function addEntry(
  tx: Transaction,
  subject: LedgerSubject,
  scope: Scope,
  kind: 'commission' | 'deduction' | 'clamp',
  debitAccount: LedgerAccount,
  creditAccount: LedgerAccount,
  amountCents: number,
): Promise<void> {
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
      commission_id: subject.commissionId,
      refund_id: subject.refundId,
      created_at: subject.at,
    })
    .execute();
}
