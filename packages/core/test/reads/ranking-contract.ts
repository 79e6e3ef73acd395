import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { topPartners } from '../../src/storage/reads/top.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';

const PROGRAM = 7;
const PARTNERS = 150;
const DAYS = 120;
const FIRST_DAY = 20_000;

export function rankingContract(kind: string, open: OpenEngine): void {
  test(`ranks partners by exact sums, even if other partners lead in each single period, on ${kind}`, async () => {
    const engine = await open();
    try {
      const values = new Map<string, number>();
      await setTotals(engine, values, 1);
      await compare(engine, values);
      // The second call replaces most of the values that the first call has stored.
      await setTotals(engine, values, 2);
      await compare(engine, values);
      const { rows } = await sql`SELECT owner_id, period, value FROM period_totals
        EXCEPT SELECT partner_id, day / 28, SUM(value) FROM daily_totals WHERE partner_id > 0 GROUP BY 1, 2`.execute(
        engine.read,
      );
      expect(rows).toEqual([]);
    } finally {
      await engine.close();
    }
  });
}

/** A few partners have a high value on one day. The others have similar values every third day. */
function dailyValue(partner: number, day: number, round: number): number {
  if (partner % 5 === 0) return (day * 13 + partner) % 97 === 0 ? 500 * round : 0;
  return (day + partner) % 3 === 0 ? 20 + ((partner * 31 + day * 7 * round) % 11) : 0;
}

async function setTotals(engine: Engine, values: Map<string, number>, round: number): Promise<void> {
  const rows: string[] = [];
  for (let partner = 1; partner <= PARTNERS; partner++) {
    for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day++) {
      const value = dailyValue(partner, day, round);
      if (value === 0) continue;
      values.set(`${partner}:${day}`, value);
      rows.push(`(${PROGRAM}, ${partner}, ${day}, 'sales', 3, ${value})`);
    }
  }
  await engine.write(1, async ({ db }) => {
    await sql
      .raw(
        `INSERT INTO daily_totals (program_id, partner_id, day, measure, slot, value) VALUES ${rows.join()}
        ON CONFLICT (program_id, partner_id, day, measure, slot) DO UPDATE SET value = excluded.value`,
      )
      .execute(db);
  });
}

async function compare(engine: Engine, values: ReadonlyMap<string, number>): Promise<void> {
  const last = FIRST_DAY + DAYS - 1;
  for (const [from, to] of [
    [0, last],
    [last - 29, last],
    [FIRST_DAY + 3, last - 5],
    [last - 40, last - 40],
  ] as const) {
    const sums = new Map<number, number>();
    for (const [key, value] of values) {
      const [partner = 0, day = 0] = key.split(':').map(Number);
      if (day >= from && day <= to) sums.set(partner, (sums.get(partner) ?? 0) + value);
    }
    const expected = [...sums]
      .map(([id, value]) => ({ id, value }))
      .sort((a, b) => b.value - a.value || a.id - b.id);
    for (const limit of [1, 3, 50]) {
      const ranked = await topPartners(engine, PROGRAM, 'sales', { from, to }, limit);
      expect(ranked).toEqual(expected.slice(0, limit));
    }
  }
}
