import { expect, test } from 'vitest';
import { latestScheduledDay, nextScheduledDay } from './payout-schedule.ts';

const at = (text: string) => Date.parse(`${text}Z`);

test.each([
  [15, '2026-06-15T00:00:00', '2026-06', '2026-06-15'],
  [15, '2026-06-14T23:59:59.999', '2026-05', '2026-05-15'],
  [31, '2026-02-28T00:00:00', '2026-02', '2026-02-28'],
  [31, '2028-02-28T23:59:59', '2028-01', '2028-01-31'],
  [31, '2028-02-29T00:00:00', '2028-02', '2028-02-29'],
  [30, '2026-03-01T12:00:00', '2026-02', '2026-02-28'],
  [31, '2026-05-01T00:00:00', '2026-04', '2026-04-30'],
  [1, '2026-01-01T00:00:00', '2026-01', '2026-01-01'],
  [2, '2026-01-01T00:00:00', '2025-12', '2025-12-02'],
])('with payouts on day %i, the latest payout day at %s is in %s', (day, time, month, start) => {
  expect(latestScheduledDay(day, at(time))).toEqual({ month, at: at(`${start}T00:00:00`) });
});

test.each([
  [15, '2026-06-14T23:59:59.999', '2026-06-15'],
  [15, '2026-06-15T23:59:59.999', '2026-06-15'],
  [15, '2026-06-16T00:00:00', '2026-07-15'],
  [31, '2026-01-31T12:00:00', '2026-01-31'],
  [31, '2026-02-01T00:00:00', '2026-02-28'],
  [31, '2026-03-01T00:00:00', '2026-03-31'],
  [1, '2026-12-02T00:00:00', '2027-01-01'],
])('with payouts on day %i, the next payout day at %s is %s', (day, time, next) => {
  expect(nextScheduledDay(day, at(time)).at).toBe(at(`${next}T00:00:00`));
});

test.each([
  ['2026-06-16T00:00:00', '2026-06-15', '2026-07-15'],
  ['2026-06-14T23:59:59', '2026-05-15', '2026-06-15'],
  ['2026-06-14T23:59:59', '2026-06-10', '2026-07-15'],
  ['2026-12-14T12:00:00', '2026-12-01', '2027-01-15'],
  ['2026-06-15T12:00:00', '2026-06-15', '2026-06-15'],
  ['2026-06-15T12:00:00', '2026-06-14', '2026-07-15'],
])(
  'with payouts on day 15, the next payout day at %s after a proposal on %s is %s',
  (time, proposedOn, next) => {
    const last = { month: proposedOn.slice(0, 7), at: at(`${proposedOn}T00:00:00`) };
    expect(nextScheduledDay(15, at(time), last).at).toBe(at(`${next}T00:00:00`));
  },
);
