import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from 'playwright-core';
import type { Engine, EngineOptions } from './engine.ts';

/**
 * The full browser, for tests of cookie settings and prerendering. The headless shell does not support these.
 */
export const wholeChromium = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';

export const chromiumOptions: LaunchOptions = {
  executablePath: process.env['HEADLESS_SHELL_PATH'] ?? wholeChromium,
  args: [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-blink-features=AutomationControlled',
    '--host-resolver-rules=MAP * 127.0.0.1',
  ],
};

/** The user agent of a normal visitor. The tracker ignores headless browsers. */
export const chromiumVisitor = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
  ignoreHTTPSErrors: true,
};

/** All test files of a worker share this browser, which exits with the worker. */
let shared: Browser | undefined;

function listen(context: BrowserContext, log: (line: string) => void): BrowserContext {
  context.on('weberror', (error) => log(String(error.error())));
  context.on('console', (message) => log(message.text()));
  return context;
}

export async function launchChromium({ chromium: options, blocksStorage }: EngineOptions): Promise<Engine> {
  if (blocksStorage) return launchWithoutStorage();
  if (options === undefined) {
    shared ??= await chromium.launch(chromiumOptions);
    return withContextsOf(shared, async () => {});
  }
  const browser = await chromium.launch({ ...chromiumOptions, ...options });
  return withContextsOf(browser, () => browser.close());
}

function withContextsOf(browser: Browser, close: Engine['close']): Engine {
  return { newContext: async (log) => listen(await browser.newContext(chromiumVisitor), log), close };
}

/** Starts a separate browser for each context. In Chromium, blocked storage is a setting of the profile. */
function launchWithoutStorage(): Engine {
  const profiles: string[] = [];
  const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
  return {
    async newContext(log) {
      const profile = mkdtempSync(join(tmpdir(), 'affkit-'));
      profiles.push(profile);
      mkdirSync(join(profile, 'Default'));
      writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(preferences));
      const options = { ...chromiumOptions, ...chromiumVisitor, executablePath: wholeChromium };
      return listen(await chromium.launchPersistentContext(profile, options), log);
    },
    async close() {
      for (const profile of profiles) rmSync(profile, { recursive: true, force: true });
    },
  };
}
