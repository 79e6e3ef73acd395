import { performanceQuery } from '@affkit/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toMajorUnits } from '../../src/domain/money.ts';
import { computePeriod } from '../../src/domain/period.ts';
import { countLinkClicks } from '../../src/jobs/count-link-clicks.ts';
import { checkBreakdowns } from '../../src/reporting/breakdowns.ts';
import { readEvents } from '../../src/reporting/events.ts';
import { readPerformance } from '../../src/reporting/performance.ts';
import { readStatus } from '../../src/reporting/status.ts';
import { checkTotals } from '../../src/reporting/totals.ts';
import { findProgram, type ProgramAccount } from '../../src/storage/programs/programs.ts';
import { histories, makeReplica, play, type Replica } from '../service/differential.ts';
import { afterResults } from '../support/after-results.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import {
  computeReferenceMetrics,
  computeReferenceTrend,
  describeReferenceTests,
  firstDayOf,
  listReferenceEvents,
  loadRows,
  type ProgramRows,
} from '../support/reference-reads.ts';
import { byDepth, type Depth, propertyRuns } from '../support/test-depth.ts';
import { createCaller } from '../support/world.ts';
import { compareRankings } from './compare-rankings.ts';

const DAY = 86_400_000;

/** A random history, test events that are added after it, a page size, and offsets for the bounds of time ranges. */
const cases = fc.record({
  history: histories,
  tests: fc.array(fc.constantFrom('click' as const, 'lead' as const), { maxLength: 14 }),
  limit: fc.integer({ min: 1, max: 9 }),
  cuts: fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 2, maxLength: 2 }),
});

/** Compares the results of all reads after random histories with a simple recount of the rows. */
export function readsProperty(kind: string, open: OpenEngine, runs: Depth<number>): void {
  test(
    `totals, lists, rankings, performance and status equal a recount of the rows after random histories on ${kind}`,
    async () => {
      const replica = await makeReplica(await open());
      let run = 0;
      try {
        await fc.assert(
          fc.asyncProperty(cases, async ({ history, tests, limit, cuts }) => {
            const name = `run${run++}`;
            await play(replica, name, history);
            for (const program of await programsOf(replica, name)) {
              await addTestEvents(replica, program, tests);
              const rows = await loadRows(replica.engine, program.id);
              expect(await checkTotals(replica.affkit.runtime, program.id)).toEqual([]);
              await compareLists(replica, program, rows, limit, cuts);
              await comparePerformance(replica, program, rows);
              await compareStatus(replica, program, rows);
              await compareLinks(replica, program, rows, limit);
            }
          }),
          propertyRuns(runs),
        );
      } finally {
        await replica.affkit.close();
      }
    },
    60_000 + byDepth(runs) * 2_000,
  );
}

async function programsOf({ engine }: Replica, run: string): Promise<ProgramAccount[]> {
  const ids = await engine.read
    .selectFrom('programs')
    .select('id')
    .where('name', 'in', [`${run} 0`, `${run} 1`])
    .execute();
  const programs = await Promise.all(ids.map(({ id }) => findProgram(engine.read, id)));
  return programs.flatMap((program) => program ?? []);
}

async function addTestEvents(
  { affkit, clock }: Replica,
  program: ProgramAccount,
  tests: readonly ('click' | 'lead')[],
): Promise<void> {
  const call = createCaller(affkit);
  for (const kind of tests) {
    clock.now += 1;
    const additional_data = { test_mode: true, program_id: program.id };
    const affiliate_url = 'https://shop.example/?aff=unknown';
    const reply = await call('POST', `/api/v1/track/${kind}`, { affiliate_url, additional_data });
    expect(reply.status).toBe(200);
  }
}

async function compareLists(
  { affkit }: Replica,
  program: ProgramAccount,
  rows: ProgramRows,
  limit: number,
  [before = 0, after = 0]: readonly number[],
): Promise<void> {
  const times = listReferenceEvents(rows, null, { from: null, to: null }).map(({ at }) => at);
  const [newest, middle] = [times[0] ?? 0, times[Math.floor(times.length / 2)] ?? 0];
  const ranges = [
    { from: null, to: null },
    { from: middle + before, to: null },
    { from: null, to: newest + after },
    { from: Math.floor(middle / DAY) * DAY, to: Math.max(newest + after, middle) },
    { from: middle, to: middle },
  ];
  for (const type of [null, 'click', 'lead', 'conversion'] as const) {
    for (const range of ranges) {
      const expected = listReferenceEvents(rows, type, range);
      for (let offset = 0; offset <= expected.length; offset += limit) {
        const page = await readEvents(affkit.runtime, program, { type, range }, { offset, limit });
        expect(page.total).toBe(expected.length);
        expect(page.events.map(({ event_type, id }) => `${event_type} ${id}`)).toEqual(
          expected.slice(offset, offset + limit).map((event) => `${event.type} ${event.id}`),
        );
      }
    }
  }
}

async function comparePerformance(
  { affkit, clock }: Replica,
  program: ProgramAccount,
  rows: ProgramRows,
): Promise<void> {
  const today = Math.floor(clock.now / DAY);
  const date = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
  const ranges: readonly (readonly [query: string, from: number, to: number])[] = [
    ['', today - 6, today],
    ['period=30d', today - 29, today],
    ['period=all', firstDayOf(rows) ?? today, today],
    [`dateFrom=${date(today - 40)}&dateTo=${date(today - 1)}`, today - 40, today - 1],
  ];
  for (const [query, from, to] of ranges) {
    const parsed = performanceQuery.parse(Object.fromEntries(new URLSearchParams(query)));
    const period = computePeriod(parsed, clock.now);
    const { data, metrics } = await readPerformance(affkit.runtime, program, period);
    const { currency } = program;
    expect(data).toEqual(
      Array.from({ length: to - from + 1 }, (_, index) => {
        const day = computeReferenceMetrics(rows, currency, from + index, from + index);
        return {
          date: date(from + index),
          period: date(from + index),
          clicks: day.clicks,
          leads: day.leads,
          conversions: day.conversions,
          revenue: toMajorUnits(day.revenueCents, currency),
          partners: day.partners,
          sales: 0,
          commission: toMajorUnits(day.commissionCents, currency),
        };
      }),
    );
    const current = computeReferenceMetrics(rows, currency, from, to);
    const previous = computeReferenceMetrics(rows, currency, from - (to - from + 1), from - 1);
    expect(metrics).toMatchObject({
      totalClicks: current.clicks,
      totalLeads: current.leads,
      totalConversions: current.conversions,
      totalRevenue: toMajorUnits(current.revenueCents, currency),
      totalPartners: current.partners,
      totalSales: current.sales,
      totalPartnersCommission: toMajorUnits(current.commissionCents, currency),
      clicksTrend: computeReferenceTrend(current.clicks, previous.clicks),
      leadsTrend: computeReferenceTrend(current.leads, previous.leads),
      conversionsTrend: computeReferenceTrend(current.conversions, previous.conversions),
      revenueTrend: computeReferenceTrend(current.revenueCents, previous.revenueCents),
      partnersTrend: computeReferenceTrend(current.partners, previous.partners),
      salesTrend: computeReferenceTrend(current.sales, previous.sales),
      commissionTrend: computeReferenceTrend(current.commissionCents, previous.commissionCents),
      other_currencies: current.others,
    });
  }
}

async function compareStatus({ affkit }: Replica, program: ProgramAccount, rows: ProgramRows): Promise<void> {
  const pageview = describeReferenceTests(rows.clicks.map((row) => ({ ...row, at: row.click_at })));
  const referrals = describeReferenceTests(rows.leads.map((row) => ({ ...row, at: row.lead_at })));
  expect(await readStatus(affkit.runtime, program)).toMatchObject({
    programId: String(program.id),
    stepStatuses: {
      pageview: pageview.hasTestEvents ? 'complete' : 'pending',
      referrals: referrals.hasTestEvents ? 'complete' : 'pending',
      payments: 'pending',
    },
    statistics: { pageview, referrals },
    hasPartners: rows.partners.some((row) => row.status === 'approved'),
  });
}

/**
 * Compares the ranking and the events of links with a recount of the rows. Between two reads, the job counts
 * none, some, or all of the clicks.
 */
async function compareLinks(
  { affkit, engine, clock }: Replica,
  program: ProgramAccount,
  rows: ProgramRows,
  limit: number,
): Promise<void> {
  const { clicks } = rows;
  const today = Math.floor(clock.now / DAY);
  const ids = clicks.map(({ id }) => id).sort((a, b) => a - b);
  for (const upTo of [0, ids[Math.floor(ids.length / 2)] ?? 0, ids.at(-1) ?? 0]) {
    let reads = 0;
    const read = afterResults(engine.read, async () => {
      // The first read determines which clicks are already counted. The job then counts more clicks before the
      // later reads.
      reads += 1;
      while (reads > 1 && (await countLinkClicks(engine, upTo, 0)));
    });
    await compareRankings({ ...engine, read }, program.id, rows, today, limit);
    for (const { linkId, ids: expected, range } of eventsOfLinks(clicks, today)) {
      const filter = { type: null, range, linkId };
      for (let offset = 0; offset <= expected.length; offset += limit) {
        const page = await readEvents(affkit.runtime, program, filter, { offset, limit });
        expect([page.total, ...page.events.map(({ id }) => id)]).toEqual([
          expected.length,
          ...expected.slice(offset, offset + limit),
        ]);
      }
    }
    const drifts = await checkBreakdowns({ engine }, program.id);
    expect(drifts.filter(({ dimension }) => dimension === 'link')).toEqual([]);
  }
}

/**
 * Returns the clicks that the list of events must show for each link, newest first. Each link has two lists: all
 * clicks, and the clicks since noon of the previous day.
 */
function eventsOfLinks(clicks: ProgramRows['clicks'], today: number) {
  const linkIds = [...new Set(clicks.flatMap(({ link_id: id }) => id ?? []))];
  return linkIds.flatMap((linkId) =>
    [null, (today - 0.5) * DAY].map((from) => ({
      linkId,
      range: { from, to: null },
      ids: clicks
        .filter((row) => row.link_id === linkId && row.is_test === 0 && row.click_at >= (from ?? 0))
        .sort((a, b) => b.click_at - a.click_at || b.id - a.id)
        .map(({ id }) => id),
    })),
  );
}
