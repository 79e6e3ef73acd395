import puppeteer, { type BrowserContext, type Page as PuppeteerPage } from 'puppeteer-core';
import type { Cookie, Engine, EngineOptions } from './engine.ts';
import { hideDriver } from './page-scripts.ts';
import { ScriptedPage } from './scripted-page.ts';

class FirefoxPage extends ScriptedPage {
  readonly #page: PuppeteerPage;

  constructor(page: PuppeteerPage) {
    super();
    this.#page = page;
  }

  goto(url: string) {
    return this.#page.goto(url);
  }

  reload() {
    return this.#page.reload();
  }

  url() {
    return this.#page.url();
  }

  evaluate<R, A>(run: string | ((arg: A) => R | Promise<R>), arg?: A): Promise<R> {
    // Puppeteer's types do not accept `A`. The cast is safe because all arguments of the tests are JSON.
    return this.#page.evaluate(run as (arg: unknown) => R, arg) as Promise<R>;
  }

  addInitScript<A>(run: (arg: A) => unknown, arg?: A) {
    return this.#page.evaluateOnNewDocument(run as (arg: unknown) => unknown, arg);
  }

  click(selector: string) {
    return this.#page.click(selector);
  }

  async press(selector: string, key: 'Enter') {
    await this.#page.focus(selector);
    await this.#page.keyboard.press(key);
  }

  setOffline(isOffline: boolean) {
    return this.#page.setOfflineMode(isOffline);
  }

  close() {
    return this.#page.close();
  }
}

async function openPage(context: BrowserContext, log: (line: string) => void): Promise<FirefoxPage> {
  const page = await context.newPage();
  page.on('console', (message) => log(message.text()));
  page.on('pageerror', (error) => log(String(error)));
  await page.evaluateOnNewDocument(hideDriver);
  return new FirefoxPage(page);
}

/** Starts Firefox. Puppeteer controls it over WebDriver BiDi. */
export async function launchFirefox({ blocksStorage = false }: EngineOptions): Promise<Engine> {
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr',
    acceptInsecureCerts: true,
    defaultViewport: null,
    extraPrefsFirefox: {
      'network.dns.forceResolve': '127.0.0.1',
      ...(blocksStorage && { 'network.cookie.cookieBehavior': 2 }),
    },
  });
  return {
    async newContext(log) {
      const context = await browser.createBrowserContext();
      const pages: FirefoxPage[] = [];
      return {
        async newPage() {
          const page = await openPage(context, log);
          pages.push(page);
          return page;
        },
        async setOffline(isOffline) {
          for (const page of pages) await page.setOffline(isOffline);
        },
        cookies: async () => (await context.cookies()) as Cookie[],
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
