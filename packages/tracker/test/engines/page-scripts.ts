/** Functions that run in pages. They must not use anything else in this file, except types. */

/** The clock of the pages. It is either a fixed time or an offset to the real time. */
export interface ClockState {
  readonly fixed?: number;
  readonly offset?: number;
}

/** Replaces `Date`. If `Date` has already been replaced, only the state is changed. */
export function setClock(state: ClockState): void {
  const key = Symbol.for('test clock');
  const isInstalled = Reflect.has(window, key);
  Reflect.set(window, key, state);
  if (isInstalled) return;
  const RealDate = Date;
  const now = () => {
    const { fixed, offset = 0 } = Reflect.get(window, key);
    return fixed ?? RealDate.now() + offset;
  };
  window.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Hides the automation from the tracker, because the tracker ignores robots. */
export function hideDriver(): void {
  Object.defineProperty(Navigator.prototype, 'webdriver', { configurable: true, get: () => false });
}

/** The path to which pages send console lines that the driver can no longer read. */
export const LINES_PATH = '/~console';

/** Records console lines and uncaught errors, for a driver that does not report them. */
export function recordConsole(path: string): void {
  const lines: string[] = [];
  Object.defineProperty(window, Symbol.for('console'), { value: lines });
  const send = () => {
    if (lines.length > 0) navigator.sendBeacon(path, JSON.stringify(lines.splice(0)));
  };
  const record = (line: string) => {
    lines.push(line);
    // The driver reads only the main frame, so other frames send their lines.
    if (window !== top) send();
  };
  for (const name of ['debug', 'error', 'info', 'log', 'warn'] as const)
    console[name] = (...parts: unknown[]) => record(parts.map(String).join(' '));
  window.addEventListener('error', ({ message }) => record(message), true);
  window.addEventListener('unhandledrejection', ({ reason }) => record(String(reason)));
  window.addEventListener('pagehide', send);
}
