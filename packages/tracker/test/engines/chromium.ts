import { chromium, type LaunchOptions } from 'playwright-core';
import type { Engine } from './engine.ts';

/** The complete browser, for tests of cookie settings and prerendering, which the headless shell lacks. */
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

/** The user agent of a visitor, because the tracker ignores headless browsers. */
export const chromiumVisitor = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
  ignoreHTTPSErrors: true,
};

export async function launchChromium(options: LaunchOptions = {}): Promise<Engine> {
  const browser = await chromium.launch({ ...chromiumOptions, ...options });
  return {
    async newContext(log) {
      const context = await browser.newContext(chromiumVisitor);
      context.on('weberror', (error) => log(String(error.error())));
      context.on('console', (message) => log(message.text()));
      return context;
    },
    close: () => browser.close(),
  };
}
