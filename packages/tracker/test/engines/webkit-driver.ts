import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '../../../core/test/support/free-port.ts';

export interface WebKitDriver {
  readonly url: string;
  close(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** Kills a process and the browsers that it has started. */
function kill(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  // A negative id kills the whole process group.
  process.kill(-child.pid, 'SIGKILL');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  kill(child);
  await ended;
}

/**
 * Starts an X server without a screen. The server chooses a free display.
 * @returns the process and the display
 */
async function startDisplay(): Promise<[ChildProcess, string]> {
  const child = spawn(
    process.env['XVFB_PATH'] ?? '/usr/bin/Xvfb',
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'], detached: true },
  );
  const number = await new Promise<string>((resolve, reject) => {
    // The X server writes the number of the display to this stream, because of `-displayfd`.
    (child.stdio[3] as Readable).once('data', (data) => resolve(String(data).trim()));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`Xvfb exited with ${code}`)));
  });
  return [child, `:${number}`];
}

/** Starts WebKitWebDriver on a free port, and a display for the browsers that it starts. */
export async function startWebKitDriver(): Promise<WebKitDriver> {
  const [display, name] = await startDisplay();
  const port = await findFreePort();
  const driver = spawn(
    process.env['WEBKIT_DRIVER_PATH'] ?? '/usr/bin/WebKitWebDriver',
    [`--port=${port}`, '--host=127.0.0.1'],
    {
      stdio: 'ignore',
      detached: true,
      env: {
        ...process.env,
        DISPLAY: name,
        // Machines without a graphics card must render in software.
        LIBGL_ALWAYS_SOFTWARE: '1',
        WEBKIT_DISABLE_COMPOSITING_MODE: '1',
        WEBKIT_DISABLE_DMABUF_RENDERER: '1',
      },
    },
  );
  const url = `http://127.0.0.1:${port}`;
  // This also runs when the tests end early.
  const killAll = () => {
    kill(driver);
    kill(display);
  };
  process.once('exit', killAll);
  const close = async () => {
    process.off('exit', killAll);
    await stop(driver);
    await stop(display);
  };
  const isUp = () => fetch(`${url}/status`).then(({ ok }) => ok);
  const start = Date.now();
  while (!(await isUp().catch(() => false))) {
    if (driver.exitCode !== null || Date.now() - start > START_TIMEOUT_MS) {
      await close();
      throw new Error('WebKitWebDriver did not start');
    }
    await delay(POLL_MS);
  }
  return { url, close };
}
