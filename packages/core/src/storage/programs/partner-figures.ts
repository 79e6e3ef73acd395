import type { Kysely } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { findPayable } from '../money/payable.ts';

/** A partner's event counts and balances in a program. */
export interface PartnerFigures {
  readonly clicks: number;
  readonly leads: number;
  readonly conversions: number;
  /** The partner's balance in each currency, sorted by currency code. */
  readonly balances: readonly CurrencyBalance[];
}

interface CurrencyBalance {
  readonly currency: string;
  /** The amount owed to the partner. It includes pending payouts, and clawbacks are subtracted. */
  readonly balanceCents: number;
  /** The amount that a payout could include now; never negative. */
  readonly payableCents: number;
}

/**
 * Loads the figures of the partners.
 * @returns a function that returns the figures of a partner; for a partner without events, the counts are 0
 */
export async function findPartnerFigures(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[],
  now: number,
): Promise<(partnerId: number) => PartnerFigures> {
  const counts = await sumCounters(db, programId, partnerIds);
  const balances = await findPayable(db, { programId, partnerIds }, now);
  return (partnerId) => {
    const countOf = (measure: string) =>
      counts.find((row) => row.subject_id === partnerId && row.measure === measure)?.value ?? 0;
    return {
      clicks: countOf('clicks'),
      leads: countOf('leads'),
      conversions: countOf('conversions'),
      balances: balances
        .filter((row) => row.partnerId === partnerId)
        .map(({ currency, balanceCents, payableCents }) => ({
          currency,
          balanceCents,
          payableCents: Math.max(0, payableCents),
        })),
    };
  };
}

function sumCounters(db: Kysely<Schema>, programId: number, partnerIds: readonly number[]) {
  return db
    .selectFrom('counters')
    .select((eb) => ['subject_id', 'measure', eb.fn.sum<number>('value').as('value')])
    .where('program_id', '=', programId)
    .where('subject', '=', 'partner')
    .where('subject_id', 'in', idList(partnerIds))
    .groupBy(['subject_id', 'measure'])
    .execute();
}
