import { setTimeout as delay } from 'node:timers/promises';
import { By, Key, type WebDriver } from 'selenium-webdriver';
import { ScriptedPage } from './scripted-page.ts';

const POLL_MS = 10;

/** The state of a call in the page. The state is `gone` when the visitor has left the page. */
interface Outcome {
  readonly state: 'pending' | 'gone' | 'returned' | 'thrown';
  /** The result as JSON, or the message of the error. */
  readonly text?: string;
  /** The console lines since the previous read. */
  readonly lines: readonly string[];
  readonly url: string;
}

const LOOK = `
  const outcomes = window[Symbol.for('calls')] || {};
  const lines = (window[Symbol.for('console')] || []).splice(0);
  return { state: 'gone', ...outcomes[arguments[0]], lines, url: location.href };`;

/**
 * Starts a call, without waiting for its result. An asynchronous WebDriver script would block all other commands
 * until the call has ended.
 */
const startCall = (expression: string) => `
  if (!window[Symbol.for('calls')]) Object.defineProperty(window, Symbol.for('calls'), { value: {} });
  const calls = window[Symbol.for('calls')];
  const encode = (value) => JSON.stringify(value, (_, part) => part === undefined ? { undefined: true } : part);
  const settle = (state, text) => { calls[arguments[0]] = { state, text } };
  const fail = (error) => settle('thrown', String(error));
  try {
    const value = (${expression});
    if (value && typeof value.then === 'function') {
      settle('pending');
      value.then((result) => settle('returned', encode(result)), fail);
    } else settle('returned', encode(value));
  } catch (error) { fail(error) }
  ${LOOK}`;

const isUndefined = (value: unknown) =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'undefined') === true;
const decode = (text = '') => JSON.parse(text, (_, part) => (isUndefined(part) ? undefined : part));

/** A WebDriver session. It sends commands to only one window at a time. */
export interface Session {
  /** Runs commands in a window, after all earlier commands have ended. */
  inWindow<T>(handle: string, work: (driver: WebDriver) => Promise<T>): Promise<T>;
  /** Adds the source of a script to run first on every page. */
  addInitScript(source: string): void;
  log(line: string): void;
}

let calls = 0;

export class WebKitPage extends ScriptedPage {
  readonly #session: Session;
  readonly #handle: string;
  #url = 'about:blank';

  constructor(session: Session, handle: string) {
    super();
    this.#session = session;
    this.#handle = handle;
  }

  #run<T>(work: (driver: WebDriver) => Promise<T>): Promise<T> {
    return this.#session.inWindow(this.#handle, async (driver) => {
      const result = await work(driver);
      this.#url = await driver.getCurrentUrl();
      return result;
    });
  }

  async #look(script: string, call: number): Promise<Outcome> {
    const outcome: Outcome = await this.#session.inWindow(this.#handle, (driver) =>
      driver.executeScript(script, call),
    );
    for (const line of outcome.lines) this.#session.log(line);
    this.#url = outcome.url;
    return outcome;
  }

  goto(url: string) {
    return this.#run((driver) => driver.get(url));
  }

  reload() {
    return this.#run((driver) => driver.navigate().refresh());
  }

  url() {
    return this.#url;
  }

  async evaluate<R, A>(run: string | ((arg: A) => R | Promise<R>), arg?: A): Promise<R> {
    calls += 1;
    const call = calls;
    const expression = typeof run === 'string' ? run : `(${run})(${JSON.stringify(arg)})`;
    let outcome = await this.#look(startCall(expression), call);
    while (outcome.state === 'pending') {
      await delay(POLL_MS);
      outcome = await this.#look(LOOK, call);
    }
    if (outcome.state === 'gone') throw new Error('The page was left before the call ended');
    if (outcome.state === 'thrown') throw new Error(outcome.text);
    return decode(outcome.text);
  }

  async addInitScript<A>(run: (arg: A) => unknown, arg?: A) {
    this.#session.addInitScript(`(${run})(${JSON.stringify(arg)})`);
  }

  click(selector: string) {
    return this.#run((driver) => driver.findElement(By.css(selector)).click());
  }

  press(selector: string, key: 'Enter') {
    return this.#run((driver) =>
      driver.findElement(By.css(selector)).sendKeys(Key[key === 'Enter' ? 'ENTER' : key]),
    );
  }

  close() {
    return this.#session.inWindow(this.#handle, (driver) => driver.close());
  }
}
