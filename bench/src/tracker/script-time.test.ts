import { expect, test } from 'vitest';
import { scriptTimeOf, type TraceEvent } from './script-time.ts';

const event = (name: string, ts: number, dur: number, more: Partial<TraceEvent> = {}): TraceEvent => ({
  name,
  ph: 'X',
  pid: 1,
  tid: 1,
  ts,
  dur,
  args: {},
  ...more,
});

const ORIGIN = 'https://www.shop.test';
const load = (url: string, thread: Partial<TraceEvent> = {}) =>
  event('CommitLoad', 0, 10, { args: { data: { url } }, ...thread });

test('sums up the script time of the main thread of the page and counts nested events once', () => {
  const events = [
    load(`${ORIGIN}/?aff=ann`),
    load('chrome://omnibox-popup.top-chrome/', { pid: 2 }),
    event('v8.compile', 1_100, 200),
    event('EvaluateScript', 1_000, 2_000),
    event('ParseHTML', 4_000, 500),
    event('EvaluateScript', 5_000, 700, { tid: 2 }),
    event('EvaluateScript', 5_000, 700, { pid: 2 }),
    event('TimerFire', 6_000, 3_000, { tdur: 1_000 }),
    event('FunctionCall', 6_000, 900),
    event('RunMicrotasks', 9_000, 250),
  ];
  expect(scriptTimeOf(events, ORIGIN)).toEqual({ total: 3.25, blocking: 3.25 });
});

test('counts an idle callback as blocking after its deadline, or from its start if its timeout has passed', () => {
  const idle = (ts: number, dur: number, allottedMilliseconds: number, timedOut = false) =>
    event('FireIdleCallback', ts, dur, { args: { data: { allottedMilliseconds, timedOut } } });
  const events = [
    load(`${ORIGIN}/`),
    event('EvaluateScript', 1_000, 2_000),
    idle(10_000, 20_000, 50),
    event('RunMicrotasks', 29_000, 500),
    idle(40_000, 20_000, 12),
    idle(70_000, 3_000, 0, true),
    event('FireIdleCallback', 80_000, 1_000),
  ];
  expect(scriptTimeOf(events, ORIGIN)).toEqual({ total: 46, blocking: 14 });
});
