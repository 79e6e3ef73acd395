import { AsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { planCalls } from './agenda.ts';
import { planMilestones } from './milestones.ts';
import { DAY_MS, DISPUTED, HISTORY_DAYS } from './plan.ts';
import { HistoryClock, planHistory } from './record.ts';

const plan = planHistory(Date.UTC(2026, 5, 15, 12, 34, 56, 789), 'http://localhost:8788');
const calls = planCalls(plan);

test('plans the same calls on each run, sorted by time, at whole milliseconds within the 90 days', () => {
  expect(planCalls(plan)).toEqual(calls);
  for (const steps of [calls, planMilestones(plan)]) {
    const times = steps.map(({ at }) => at);
    expect(times.every(Number.isInteger)).toBe(true);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(0)).toBeGreaterThanOrEqual(plan.start);
    expect(times.at(-1)).toBeLessThan(plan.end);
  }
  expect(plan.end - plan.start).toBeGreaterThanOrEqual(HISTORY_DAYS * DAY_MS);
});

test('plans a click before the sign-up, the sign-up before the sales, and a sale before each refund', () => {
  const order = ['click', 'lead', 'sale', 'refund'];
  const lastStep = new Map<number, number>();
  for (const { visit, route, isRejected } of calls) {
    if (isRejected) continue;
    const step = order.indexOf(route);
    const before = lastStep.get(visit) ?? -1;
    // A customer may buy again after a refund.
    expect(before >= Math.min(step - 1, 2) || (step === 3 && before >= 2)).toBe(true);
    lastStep.set(visit, Math.max(step, before));
  }
});

test('plans sales in several currencies, renewals, partial refunds, one disputed sale, and rejected calls', () => {
  const sales = calls.filter(({ route, isRejected }) => route === 'sale' && !isRejected);
  const count = (predicate: (body: Readonly<Record<string, unknown>>) => boolean) =>
    sales.filter(({ body }) => predicate(body)).length;
  for (const currency of ['USD', 'EUR', 'JPY']) {
    expect(count((body) => body['currency'] === currency)).toBeGreaterThan(10);
  }
  expect(count((body) => body['is_recurring'] === true)).toBeGreaterThan(10);
  expect(count((body) => body['amount_cents'] === 300)).toBeGreaterThan(3);
  expect(sales.filter(({ body }) => body['processor_refs'] !== undefined)).toMatchObject([
    { body: { amount_cents: 4800, processor_refs: Object.values(DISPUTED) } },
  ]);
  const refunds = calls.filter(({ route, isRejected }) => route === 'refund' && !isRejected);
  const partial = refunds.filter(({ body }) => body['refund_amount_cents'] !== undefined);
  expect(partial.length).toBeGreaterThan(2);
  expect(refunds.length).toBeGreaterThan(partial.length);
  expect(calls.filter(({ isRejected }) => isRejected)).toHaveLength(7);
});

test.each([15, 24])('disputes an unrefunded sale with a commission if the history ends on day %i', (day) => {
  const ofDay = planCalls(planHistory(Date.UTC(2026, 10, day, 0, 50), 'http://localhost:8788'));
  const disputed = ofDay.filter(({ body }) => body['processor_refs'] !== undefined);
  expect(disputed).toHaveLength(1);
  const ofVisit = ofDay.filter(({ visit }) => visit === disputed[0]?.visit);
  const click = ofVisit.find(({ route }) => route === 'click');
  expect((disputed[0]?.at ?? 0) - (click?.at ?? 0)).toBeLessThan(30 * DAY_MS);
  expect(ofVisit.filter(({ route }) => route === 'refund')).toEqual([]);
});

test('a callback that an earlier request bound with AsyncResource reads the time of the current request', async () => {
  const clock = new HistoryClock(0);
  const earlier = await clock.at(1_000, async () => AsyncResource.bind(() => clock.now()));
  expect(await clock.at(2_000, async () => [clock.now(), earlier()])).toEqual([2_000, 2_000]);
  expect(clock.now()).toBe(2_000);
});
