import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { COORDINATOR, LIMITS, PRICES, planFor, TRAFFIC, toPlanTable, USAGE } from './model.ts';

test('docs/scale.md contains the plans that the cost model computes', () => {
  const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
  expect(page).toContain(toPlanTable());
});

const NO_SALES = { clicksPerMonth: 1e9, leads: 0, sales: 0, peak: 1, months: 2, newVisitors: 0 };

test('plans disk space for the clicks of the kept months, and for ten years of visitors, leads, and sales', () => {
  const { dataBytes, remainingBytes } = USAGE.click;
  const clicks = 2 * (dataBytes - remainingBytes);
  const diskOf = (traffic: object) => planFor({ ...NO_SALES, ...traffic }).diskGb;
  expect(diskOf({})).toBeCloseTo(clicks);
  expect(diskOf({ newVisitors: 0.5 })).toBeCloseTo(clicks + 120 * 0.5 * remainingBytes);
  expect(diskOf({ leads: 0.1 })).toBeCloseTo(clicks + 120 * 0.1 * USAGE.lead.dataBytes);
  expect(diskOf({ sales: 0.1 })).toBeCloseTo(clicks + 120 * 0.1 * USAGE.sale.dataBytes);
});

test('plans a coordinator for several Postgres servers, with disk space for ten years of transaction ids', () => {
  expect(planFor({ ...NO_SALES, clicksPerMonth: 1e6 }).coordinator).toBeNull();
  const { coordinator, databaseServers } = planFor({ ...NO_SALES, clicksPerMonth: 1e10, sales: 0.01 });
  expect(coordinator?.diskGb).toBeCloseTo(10 * 120 * 0.01 * COORDINATOR.bytesPerSale);
  expect(coordinator?.shards).toBeGreaterThanOrEqual(databaseServers * 4);
});

test('no server exceeds its limits, and more clicks never cost less', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e11 }), fc.integer({ min: 1, max: 100 }), (clicks, months) => {
      const plan = planFor({ ...TRAFFIC, clicksPerMonth: clicks, months }, LIMITS, PRICES);
      expect(plan.diskGb / plan.databaseServers).toBeLessThanOrEqual(LIMITS.diskGb);
      expect(plan.databaseCores / plan.databaseServers).toBeLessThanOrEqual(LIMITS.cores);
      expect(plan.dollars).toBeLessThanOrEqual(
        planFor({ ...TRAFFIC, clicksPerMonth: clicks * 2, months }, LIMITS, PRICES).dollars,
      );
    }),
  );
});
