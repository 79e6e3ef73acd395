import { type Insertable, sql } from 'kysely';
import type { Transaction } from '../database/engine/engine.ts';
import { insertRows, type Row } from '../database/rows.ts';
import type { LedgerAccount, LedgerEntryTable } from '../database/schema-money.ts';
import { mergeByKey } from '../tracking/counters.ts';

/** The partner and currency of a ledger entry, and the row that caused it. */
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

type LedgerScope = LedgerEntryTable['scope'];
type LedgerEntryKind = LedgerEntryTable['kind'];
const LEDGER_SCOPES: readonly LedgerScope[] = ['partner_program', 'partner'];

/**
 * The accounts that add up to a partner's balance. Money in a pending payout is included, because it is still
 * owed.
 */
const BALANCE_ACCOUNTS: readonly LedgerAccount[] = ['partner_payable', 'payout_clearing'];

/**
 * The accounts of each kind of movement. `take` and `release` move money between the two accounts in
 * `BALANCE_ACCOUNTS`, so `pay` is the only step of a payout that changes a balance.
 */
const ACCOUNTS = {
  earn: { debitAccount: 'advertiser_cost', creditAccount: 'partner_payable' },
  deduct: { debitAccount: 'partner_payable', creditAccount: 'advertiser_cost' },
  clamp: { debitAccount: 'advertiser_write_off', creditAccount: 'partner_payable' },
  unclamp: { debitAccount: 'partner_payable', creditAccount: 'advertiser_write_off' },
  take: { debitAccount: 'partner_payable', creditAccount: 'payout_clearing' },
  release: { debitAccount: 'payout_clearing', creditAccount: 'partner_payable' },
  pay: { debitAccount: 'payout_clearing', creditAccount: 'payout_paid' },
} as const satisfies Record<string, Pick<Movement, 'debitAccount' | 'creditAccount'>>;

/** An amount that a partner earns. */
export interface Credit {
  readonly subject: LedgerSubject;
  readonly kind: 'commission' | 'adjustment';
  readonly amountCents: number;
}

/** Credits amounts to two balances of each partner: the balance in the program, and the one across all programs. */
export async function creditPartners(tx: Transaction, credits: readonly Credit[]): Promise<void> {
  const entries = credits
    .filter(({ amountCents }) => amountCents !== 0)
    .flatMap(({ subject, kind, amountCents }) =>
      LEDGER_SCOPES.map((scope) => toEntry({ subject, scope, kind, ...ACCOUNTS.earn, amountCents })),
    );
  await insertEntries(tx, entries);
}

/** Whether both balances of the partner are still safe integers after a credit of this amount. */
export async function canCreditPartner(
  tx: Transaction,
  subject: LedgerSubject,
  amountCents: number,
): Promise<boolean> {
  const rows = await tx.db
    .selectFrom('balances')
    .select('balance_cents')
    .where('program_id', 'in', [0, subject.programId])
    .where('partner_id', '=', subject.partnerId)
    .where('currency', '=', subject.currency)
    .execute();
  return rows.every(({ balance_cents: cents }) => Number.isSafeInteger(cents + amountCents));
}

/**
 * Debits a deduction from both balances of the partner: the one in the program, and the one across all programs.
 * @param clampOf gets the balance before the deduction; returns the part of the deduction that the advertiser
 * bears. This part is credited back to the partner
 */
export async function debitPartner(
  tx: Transaction,
  subject: LedgerSubject,
  kind: 'deduction' | 'adjustment',
  deductionCents: number,
  clampOf: (balanceBeforeCents: number) => number,
): Promise<void> {
  if (deductionCents === 0) return;
  for (const scope of LEDGER_SCOPES) {
    const deduction = { subject, scope, kind, ...ACCOUNTS.deduct, amountCents: deductionCents };
    const after = await postMovement(tx, deduction);
    const clampCents = clampOf(after + deductionCents);
    if (clampCents === 0) continue;
    await postMovement(tx, { subject, scope, kind: 'clamp', ...ACCOUNTS.clamp, amountCents: clampCents });
  }
}

/**
 * Credits a deduction back to both balances of the partner. When the deduction was posted, a clamp may have credited
 * a part of it to keep the balance from becoming negative. This part of the clamp is debited again, so that the
 * partner does not get it twice.
 */
export async function returnDeduction(
  tx: Transaction,
  subject: LedgerSubject & { readonly commissionId: number },
  returnedCents: number,
): Promise<void> {
  if (returnedCents === 0) return;
  for (const scope of LEDGER_SCOPES) {
    const returned = { ...ACCOUNTS.earn, amountCents: returnedCents };
    await postMovement(tx, { subject, scope, kind: 'deduction', ...returned });
    const clampCents = Math.min(returnedCents, await sumRefundClamps(tx, subject, scope));
    if (clampCents === 0) continue;
    await postMovement(tx, { subject, scope, kind: 'clamp', ...ACCOUNTS.unclamp, amountCents: clampCents });
  }
}

/**
 * Sums up the amounts that were credited back because a commission's refunds would have made the balance
 * negative. Amounts that were debited again are not included.
 */
async function sumRefundClamps(
  tx: Transaction,
  { programId, commissionId }: { readonly programId: number; readonly commissionId: number },
  scope: LedgerScope,
): Promise<number> {
  const clamps = await tx.db
    .selectFrom('ledger_entries')
    .select(['credit_account', 'amount_cents'])
    .where('program_id', '=', programId)
    .where('commission_id', '=', commissionId)
    .where('scope', '=', scope)
    .where('kind', '=', 'clamp')
    .where('refund_id', 'is not', null)
    .execute();
  return clamps.reduce(
    (cents, clamp) =>
      cents + (clamp.credit_account === 'partner_payable' ? clamp.amount_cents : -clamp.amount_cents),
    0,
  );
}

/** Writes the ledger entry of one step of a payout. */
export async function postPayoutStep(
  tx: Transaction,
  subject: LedgerSubject & { readonly payoutId: number },
  step: 'take' | 'release' | 'pay',
  amountCents: number,
): Promise<void> {
  if (amountCents === 0) return;
  for (const scope of LEDGER_SCOPES) {
    await postMovement(tx, { subject, scope, kind: 'payout', ...ACCOUNTS[step], amountCents });
  }
}

/** Prevents other transactions from changing the partner's balance in the program until this transaction ends. */
export async function lockBalance(
  tx: Transaction,
  programId: number,
  partnerId: number,
  currency: string,
): Promise<void> {
  // SQLite needs no lock, because it has only one writer at a time.
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
  readonly scope: LedgerScope;
  readonly kind: LedgerEntryKind;
  readonly debitAccount: LedgerAccount;
  readonly creditAccount: LedgerAccount;
  readonly amountCents: number;
}

/**
 * Writes a ledger entry and updates its balance, which remains locked until the transaction ends.
 * @returns the new balance
 */
async function postMovement(tx: Transaction, movement: Movement): Promise<number> {
  const entry = toEntry(movement);
  const [balanceCents] = await addToBalances(tx, [entry]);
  if (balanceCents === undefined)
    throw new Error(`The balance of partner ${entry.partner_id} was not updated`);
  await insertRows(tx, 'ledger_entries', [entry]);
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

/** A ledger entry of another installation, with new ids and a chain position of this installation. */
export type ImportedEntry = Required<Omit<Insertable<LedgerEntryTable>, 'chain_position' | 'chain_hash'>> & {
  readonly id: number;
  readonly chain_position: number;
  readonly chain_hash: string;
};

/** Stores sealed entries, and adds their amounts to both balances of the partners. */
export async function importLedgerEntries(tx: Transaction, entries: readonly ImportedEntry[]): Promise<void> {
  await insertEntries(tx, entries);
}

async function insertEntries(tx: Transaction, entries: readonly (Posting & Row)[]): Promise<void> {
  // Every transaction locks balances in this order: first those of single programs, then those across all programs.
  for (const scope of LEDGER_SCOPES) {
    await addToBalances(
      tx,
      entries.filter((entry) => entry.scope === scope),
    );
  }
  await insertRows(tx, 'ledger_entries', entries);
}

type Posting = Pick<
  ImportedEntry,
  'program_id' | 'partner_id' | 'currency' | 'scope' | 'debit_account' | 'credit_account' | 'amount_cents'
>;

/** @returns the new value of each changed balance */
async function addToBalances(tx: Transaction, postings: readonly Posting[]): Promise<number[]> {
  const rows = mergeByKey(
    postings.map(
      ({ program_id, partner_id, currency, scope, debit_account, credit_account, amount_cents }) => ({
        program_id: scope === 'partner' ? 0 : program_id,
        partner_id,
        currency,
        balance_cents:
          (BALANCE_ACCOUNTS.includes(credit_account) ? amount_cents : 0) -
          (BALANCE_ACCOUNTS.includes(debit_account) ? amount_cents : 0),
      }),
    ),
    ({ program_id, partner_id, currency }) => [program_id, partner_id, currency],
    (sum, { balance_cents }) => ({ ...sum, balance_cents: sum.balance_cents + balance_cents }),
  );
  const updated = await insertRows<{ balance_cents: number }>(
    tx,
    'balances',
    rows,
    sql`ON CONFLICT (program_id, partner_id, currency) DO UPDATE
      SET balance_cents = balances.balance_cents + excluded.balance_cents RETURNING balance_cents`,
  );
  return updated.map((row) => row.balance_cents);
}
