import { expect } from 'vitest';
import { topLinks, topPartners } from '../../src/storage/reads/top.ts';
import type { ProgramRows } from '../support/reference-reads.ts';

const DAY = 86_400_000;

type Reader = Parameters<typeof topLinks>[0];

interface RankedValue {
  readonly ranking: string;
  readonly id: number;
  readonly day: number;
  readonly value: number;
}

/** Compares all rankings of a program, in several ranges, with a recount of its rows. */
export async function compareRankings(
  engine: Reader,
  programId: number,
  rows: ProgramRows,
  today: number,
  limit: number,
): Promise<void> {
  const values = rankedValues(rows);
  const measures = ['clicks', 'leads', 'sales', 'revenue:USD', 'commission:USD'] as const;
  for (const [from, to] of [
    [0, today],
    [today - 31, today],
    [today - 61, today - 1],
  ] as const) {
    const expected = (ranking: string) => {
      const sums = new Map<number, number>();
      for (const { ranking: of, id, day, value } of values) {
        if (of === ranking && day >= from && day <= to) sums.set(id, (sums.get(id) ?? 0) + value);
      }
      return [...sums]
        .map(([id, value]) => ({ id, value }))
        .filter(({ value }) => value > 0)
        .sort((a, b) => b.value - a.value || a.id - b.id)
        .slice(0, limit);
    };
    expect(await topLinks(engine, programId, { from, to }, limit)).toEqual(expected('links'));
    for (const measure of measures) {
      const ranked = await topPartners(engine, programId, measure, { from, to }, limit);
      expect([measure, ...ranked]).toEqual([measure, ...expected(measure)]);
    }
  }
}

function rankedValues({ clicks, leads, sales, commissions, customers }: ProgramRows): RankedValue[] {
  const values: RankedValue[] = [];
  const add = (ranking: string, id: number | null | undefined, at: number, value = 1) => {
    if (typeof id === 'number') values.push({ ranking, id, day: Math.floor(at / DAY), value });
  };
  for (const { is_test, link_id, partner_id, click_at } of clicks) {
    if (is_test === 1) continue;
    add('links', link_id, click_at);
    add('clicks', partner_id, click_at);
  }
  const partnerOf = new Map(customers.map(({ id, partner_id }) => [id, partner_id]));
  for (const { is_test, customer_id, lead_at } of leads) {
    if (is_test === 0) add('leads', partnerOf.get(customer_id ?? 0), lead_at);
  }
  for (const { is_test, partner_id, currency, amount_cents, sale_at } of sales) {
    if (is_test === 1) continue;
    add('sales', partner_id, sale_at);
    add(`revenue:${currency}`, partner_id, sale_at, amount_cents);
  }
  for (const { partner_id, currency, amount_cents, commission_at } of commissions) {
    add(`commission:${currency}`, partner_id, commission_at, amount_cents);
  }
  return values;
}
