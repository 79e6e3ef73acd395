import type { Config } from './config.ts';

export type BrowserWindow = Window & typeof globalThis;

/** What all trackers of one page have in common, also a script and a module of different versions. */
export interface Shared {
  /** The store's entries where localStorage does not take them. */
  readonly memory: Record<string, string>;
  /** Requests under way, by the key of their job. */
  flights: Record<string, Promise<unknown>>;
}

/** The surroundings of a tracker. Each function names the parts that it uses. */
export interface Context {
  readonly win: BrowserWindow;
  readonly config: Config;
  readonly shared: Shared;
}

const slot = Symbol.for('affkit');

/** The page's shared state: made by the first tracker, found by the others. */
export function sharedState(win: object): Shared {
  const holder: { [slot]?: Shared } = win;
  holder[slot] = holder[slot] || { memory: {}, flights: {} };
  return holder[slot];
}

/** One console line, when debugging. */
export function say({ win, config }: Pick<Context, 'win' | 'config'>, line: string, detail?: unknown): void {
  if (config.debug) win.console.info(`[affkit] ${line}`, detail);
}

/** Dispatches `affkit:<name>` on the document. */
export function emit({ win }: Pick<Context, 'win'>, name: string, detail: object): void {
  win.document.dispatchEvent(new win.CustomEvent(`affkit:${name}`, { detail }));
}
