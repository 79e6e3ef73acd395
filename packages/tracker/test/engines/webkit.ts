import { setTimeout as delay } from 'node:timers/promises';
import { Builder, type WebDriver } from 'selenium-webdriver';
import type { Context, Cookie, Engine, EngineOptions } from './engine.ts';
import { hideDriver, LINES_PATH, recordConsole } from './page-scripts.ts';
import { startLoopbackProxy } from './proxy.ts';
import { startWebKitDriver } from './webkit-driver.ts';
import { type Session, WebKitPage } from './webkit-page.ts';

const SESSION_TIMEOUT_MS = 20_000;
const FIRST_SCRIPTS = [`(${hideDriver})()`, `(${recordConsole})('${LINES_PATH}')`];

/** Starts the driver of WebKitGTK. Each context is a session with its own browser. */
export async function launchWebKit({ blocksStorage = false }: EngineOptions): Promise<Engine> {
  let scripts: string[] = [];
  let logLine: (line: string) => void = () => {};
  const proxy = await startLoopbackProxy({
    script: () => scripts.join(';'),
    onLines(lines) {
      for (const line of lines) logLine(line);
    },
  });
  let server = await startWebKitDriver();
  const capabilities = {
    browserName: 'MiniBrowser',
    // With a timeout, each call would set a timer in the page. Tests that watch timers would see it.
    timeouts: { script: null },
    // The standard capability for proxies cannot be used. With this capability, the driver expects a certificate
    // from the proxy itself.
    'webkitgtk:browserOptions': {
      args: [
        '--automation',
        `--proxy=http://${proxy.address}`,
        '--ignore-tls-errors',
        ...(blocksStorage ? ['--cookies-policy=never', '--enable-html5-local-storage=false'] : []),
      ],
    },
  };

  /** Opens a session. About once in a hundred sessions, the driver hangs and is replaced. */
  async function openSession(): Promise<WebDriver> {
    const driver = new Builder()
      .disableEnvironmentOverrides()
      .usingServer(server.url)
      .withCapabilities(capabilities)
      .build();
    const opened = driver.getSession().then(() => true);
    if (await Promise.race([opened, delay(SESSION_TIMEOUT_MS, false, { ref: false })])) return driver;
    // Both promises reject when the driver ends. `allSettled` handles these rejections.
    void Promise.allSettled([opened, driver]);
    await server.close();
    server = await startWebKitDriver();
    return openSession();
  }

  async function newContext(log: (line: string) => void): Promise<Context> {
    scripts = [...FIRST_SCRIPTS];
    proxy.isOffline = false;
    logLine = log;
    const driver = await openSession();
    let current = await driver.getWindowHandle();
    let isFirstFree = true;
    let queue: Promise<unknown> = Promise.resolve();
    const session: Session = {
      inWindow(handle, work) {
        const result = queue.then(async () => {
          if (current !== handle) await driver.switchTo().window(handle);
          current = handle;
          return work(driver);
        });
        queue = result.catch(() => {});
        return result;
      },
      addInitScript: (source) => scripts.push(source),
      log,
    };
    return {
      async newPage() {
        if (isFirstFree) {
          isFirstFree = false;
          return new WebKitPage(session, current);
        }
        const handle = await session.inWindow(current, async () => {
          await driver.switchTo().newWindow('tab');
          current = await driver.getWindowHandle();
          return current;
        });
        return new WebKitPage(session, handle);
      },
      async cookies() {
        const cookies = await session.inWindow(current, () => driver.manage().getCookies());
        return cookies.map(
          ({ expiry, ...cookie }) => ({ ...cookie, expires: Number(expiry ?? -1) }) as Cookie,
        );
      },
      async setOffline(isOffline) {
        proxy.isOffline = isOffline;
        const name = isOffline ? 'offline' : 'online';
        await session.inWindow(current, () => driver.executeScript(`dispatchEvent(new Event('${name}'))`));
      },
      close: () => driver.quit(),
    };
  }

  return {
    newContext,
    async close() {
      await server.close();
      await proxy.close();
    },
  };
}
