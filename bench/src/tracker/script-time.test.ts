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

test('sums up the script time of main threads and counts nested events once', () => {
  const events = [
    event('thread_name', 0, 0, { ph: 'M', args: { name: 'CrRendererMain' } }),
    event('thread_name', 0, 0, { ph: 'M', tid: 2, args: { name: 'ThreadPoolForegroundWorker' } }),
    event('v8.compile', 1_100, 200),
    event('EvaluateScript', 1_000, 2_000),
    event('ParseHTML', 4_000, 500),
    event('EvaluateScript', 5_000, 700, { tid: 2 }),
    event('TimerFire', 6_000, 3_000, { tdur: 1_000 }),
    event('FunctionCall', 6_000, 900),
    event('RunMicrotasks', 9_000, 250),
  ];
  expect(scriptTimeOf(events)).toBe(3.25);
});
