import type { Kysely } from 'kysely';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import { findPayable } from '../money/payable.ts';

/** What a partner has brought and is owed in a program. */
export interface PartnerFigures {
  readonly clicks: number;
  readonly leads: number;
  readonly conversions: number;
  /** One per currency that ever moved, by code. */
  readonly balances: readonly CurrencyBalance[];
}

interface CurrencyBalance {
  readonly currency: string;
  /** What is owed, payouts in progress included, less clawbacks. */
  readonly balanceCents: number;
  /** What a payout would take now. */
  readonly payableCents: number;
}

/** The figures of each of the partners, to be asked for by its id; one that has none yet gets zeros. */
export async function findPartnerFigures(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[],
  now: number,
): Promise<(partnerId: number) => PartnerFigures> {
  const counts = await countsOf(db, programId, partnerIds);
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

function countsOf(db: Kysely<Schema>, programId: number, partnerIds: readonly number[]) {
  return db
    .selectFrom('counters')
    .select((eb) => ['subject_id', 'measure', eb.fn.sum<number>('value').as('value')])
    .where('program_id', '=', programId)
    .where('subject', '=', 'partner')
    .where('subject_id', 'in', idList(partnerIds))
    .groupBy(['subject_id', 'measure'])
    .execute();
}
