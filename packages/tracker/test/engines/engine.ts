import type { LaunchOptions } from 'playwright-core';

/** A cookie, with the field names of Playwright. */
export interface Cookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** In epoch seconds; -1 for a session cookie. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Strict' | 'Lax' | 'None';
}

/** The clock of the pages. It does not affect cookies, which expire by the clock of the browser. */
export interface Clock {
  /** Sets the clock to this time. The clock keeps running. */
  install(options: { time: string }): Promise<void>;
  /** Sets the clock to this time. The clock keeps running. */
  setSystemTime(time: number | string): Promise<void>;
  /** Stops the clock at this time. */
  setFixedTime(time: number | string): Promise<void>;
}

/** The part of Playwright's `Page` that every engine supports. Selectors are CSS selectors. */
export interface Page {
  readonly clock: Clock;
  /** Opens a URL and waits for its `load` event. */
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  /**
   * With `commit`, the call does not wait for the `load` event, which a page from the back/forward cache never
   * gets.
   */
  goBack(options?: { waitUntil: 'commit' }): Promise<unknown>;
  goForward(): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  /**
   * Runs a function in the page and resolves to its result, which must be JSON. The function must not use
   * variables of the test file.
   */
  evaluate<R, A>(run: string | ((arg: A) => R | Promise<R>), arg: A): Promise<R>;
  evaluate<R>(run: string | (() => R | Promise<R>)): Promise<R>;
  /** Runs a function before the scripts of every page that opens in the tab. */
  addInitScript<A>(run: (arg: A) => unknown, arg: A): Promise<unknown>;
  addInitScript(run: () => unknown): Promise<unknown>;
  /** Resolves when the function returns a truthy value. */
  waitForFunction(run: () => unknown): Promise<unknown>;
  /** Resolves when a page with this URL has loaded. In a string, `**` stands for any characters. */
  waitForURL(url: string | RegExp): Promise<void>;
  click(selector: string): Promise<void>;
  press(selector: string, key: 'Enter'): Promise<void>;
  dispatchEvent(selector: string, type: string, init?: MouseEventInit): Promise<void>;
  getAttribute(selector: string, name: string): Promise<string | null>;
  close(): Promise<void>;
}

/** A browser profile without data. */
export interface Context {
  newPage(): Promise<Page>;
  /** Returns the cookies. In WebKitGTK, only the cookies of the page that was used last. */
  cookies(): Promise<Cookie[]>;
  setOffline(isOffline: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface EngineOptions {
  /** Options that apply only to Chromium. */
  readonly chromium?: LaunchOptions;
  /** Whether the browser blocks cookies and storage. @default false */
  readonly blocksStorage?: boolean;
}

/** A running browser. */
export interface Engine {
  /** @param log receives the uncaught errors and console lines of all pages */
  newContext(log: (line: string) => void): Promise<Context>;
  close(): Promise<void>;
}
