/** An event of a Chromium trace. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Time of the start in microseconds. */
  readonly ts: number;
  /** Duration in microseconds. Only complete events have it. */
  readonly dur?: number;
  /** CPU time of the thread in microseconds. Only complete events have it. */
  readonly tdur?: number;
  readonly args: {
    readonly name?: string;
    readonly data?: {
      /** URL of the loaded document. Only `DOCUMENT_LOADED` events have it. */
      readonly url?: string;
      /** Time until the deadline. Only idle callbacks have it. */
      readonly allottedMilliseconds?: number;
      /** Whether an idle callback runs because its timeout has passed. */
      readonly timedOut?: boolean;
    };
  };
}

/** CPU time of scripts on the main threads of pages, in milliseconds. */
export interface ScriptTime {
  readonly total: number;
  /** The part of `total` that can delay the page. It excludes the time of idle callbacks before their deadlines. */
  readonly blocking: number;
}

/** The trace events that the browser's developer tools show as scripting. */
const SCRIPTING: ReadonlySet<string> = new Set([
  'EvaluateScript',
  'FireIdleCallback',
  'FunctionCall',
  'RunMicrotasks',
  'TimerFire',
  'v8.compile',
  'v8.compileModule',
  'v8.evaluateModule',
]);

/** A main thread emits this event when it has received a document. */
const DOCUMENT_LOADED = 'CommitLoad';

/**
 * Sums up the CPU time that the main thread of a page spent on scripts. Nested events are counted only once. Other
 * pages are ignored, because the browser shows pages of its own, such as the suggestions of its address bar.
 */
export function scriptTimeOf(events: readonly TraceEvent[], origin: string): ScriptTime {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === DOCUMENT_LOADED && args.data?.url?.startsWith(`${origin}/`))
      .map(threadOf),
  );
  const ends = new Map<string, number>();
  let total = 0;
  let blocking = 0;
  const scripting = events.filter(
    (event) => event.ph === 'X' && SCRIPTING.has(event.name) && mainThreads.has(threadOf(event)),
  );
  for (const event of scripting.sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    const thread = threadOf(event);
    const { ts, dur = 0, tdur = dur } = event;
    if (ts < (ends.get(thread) ?? 0)) continue;
    ends.set(thread, ts + dur);
    total += tdur / 1000;
    blocking += Math.max(0, tdur / 1000 - idleTimeOf(event));
  }
  return { total, blocking };
}

/** Returns the milliseconds that an idle callback may take without delaying the page, and 0 for other events. */
function idleTimeOf({ name, args }: TraceEvent): number {
  if (name !== 'FireIdleCallback' || args.data?.timedOut !== false) return 0;
  return args.data.allottedMilliseconds ?? 0;
}
