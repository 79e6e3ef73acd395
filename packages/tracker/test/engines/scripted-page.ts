import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Page } from './engine.ts';
import { type ClockState, setClock } from './page-scripts.ts';

const POLL_MS = 20;
const TIMEOUT_MS = 30_000;

/** Whether the URL matches a pattern in which `**` stands for any characters. */
function matchesGlob(url: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('**');
  let rest = url.startsWith(start) ? url.slice(start.length) : undefined;
  for (const part of parts) {
    const at = part === '' ? (rest?.length ?? -1) : (rest?.indexOf(part) ?? -1);
    rest = at < 0 ? undefined : rest?.slice(at + part.length);
  }
  return rest === '';
}

/** A page for a driver that supports little more than opening URLs and running functions. */
export abstract class ScriptedPage implements Page {
  abstract goto(url: string): Promise<unknown>;
  abstract reload(): Promise<unknown>;
  abstract url(): string;
  abstract evaluate<R, A>(run: string | ((arg: A) => R | Promise<R>), arg?: A): Promise<R>;
  abstract addInitScript<A>(run: (arg: A) => unknown, arg?: A): Promise<unknown>;
  abstract click(selector: string): Promise<void>;
  abstract press(selector: string, key: 'Enter'): Promise<void>;
  abstract close(): Promise<void>;

  readonly clock: Clock = {
    install: ({ time }) => this.#setClock({ offset: Date.parse(time) - Date.now() }),
    setSystemTime: (time) => this.#setClock({ offset: new Date(time).getTime() - Date.now() }),
    setFixedTime: (time) => this.#setClock({ fixed: new Date(time).getTime() }),
  };

  async #setClock(state: ClockState): Promise<void> {
    await this.addInitScript(setClock, state);
    await this.evaluate(setClock, state);
  }

  title(): Promise<string> {
    return this.evaluate(() => document.title);
  }

  goBack(): Promise<void> {
    return this.#traverse(-1);
  }

  goForward(): Promise<void> {
    return this.#traverse(1);
  }

  /**
   * Moves through the history with a script. Drivers would wait for a `load` event, which does not occur for a
   * route change or for a page from the back/forward cache.
   */
  async #traverse(steps: number): Promise<void> {
    const before = await this.evaluate((by: number) => {
      Reflect.set(window, Symbol.for('left'), true);
      const { href } = location;
      history.go(by);
      return href;
    }, steps);
    await this.#poll(() =>
      this.evaluate(
        (href: string) =>
          document.readyState === 'complete' &&
          (location.href !== href || !Reflect.has(window, Symbol.for('left'))),
        before,
      ),
    );
  }

  waitForFunction(run: () => unknown): Promise<void> {
    return this.#poll(() => this.evaluate(`Boolean((${run})())`));
  }

  waitForURL(url: string | RegExp): Promise<void> {
    return this.#poll(async () => {
      const [href, state] = await this.evaluate(() => [location.href, document.readyState] as const);
      return state === 'complete' && (typeof url === 'string' ? matchesGlob(href, url) : url.test(href));
    });
  }

  dispatchEvent(selector: string, type: string, init: MouseEventInit = {}): Promise<void> {
    return this.evaluate(
      ([target, name, options]) => {
        const Kind = name.startsWith('mouse') ? MouseEvent : Event;
        document.querySelector(target)?.dispatchEvent(new Kind(name, options));
      },
      [selector, type, { bubbles: true, cancelable: true, composed: true, ...init }] as const,
    );
  }

  getAttribute(selector: string, name: string): Promise<string | null> {
    return this.evaluate(
      ([target, attribute]) => document.querySelector(target)?.getAttribute(attribute) ?? null,
      [selector, name] as const,
    );
  }

  /** Repeats a check until it succeeds. A call may fail because the page is navigating. */
  async #poll(isDone: () => Promise<unknown>): Promise<void> {
    const start = Date.now();
    let failure: unknown;
    while (Date.now() - start < TIMEOUT_MS) {
      const done = await isDone().catch((error: unknown) => {
        failure = error;
      });
      if (done) return;
      await delay(POLL_MS);
    }
    throw new Error(`Timed out at ${this.url()}`, { cause: failure });
  }
}
