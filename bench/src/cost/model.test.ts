import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LIMITS, PRICES, planFor, TRAFFIC, toPlanTable, USAGE } from './model.ts';

test('docs/scale.md contains the plans of the model', () => {
  const page = readFileSync(new URL('../../../docs/scale.md', import.meta.url), 'utf8');
  expect(page).toContain(toPlanTable());
});

test('the disk holds every click of the months, and every lead and sale of ten years', () => {
  const { diskGb } = planFor({ clicksPerMonth: 1e9, leads: 0.1, sales: 0, peak: 1, months: 2 });
  expect(diskGb).toBeCloseTo(2 * USAGE.click.dataBytes + 120 * 0.1 * USAGE.lead.dataBytes);
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
