import type { LaunchOptions } from 'playwright-core';
import { launchChromium } from './chromium.ts';
import type { Engine } from './engine.ts';
import { launchFirefox } from './firefox.ts';
import { launchWebKit } from './webkit.ts';

export type EngineName = 'chromium' | 'firefox' | 'webkit';

/** The engine that runs the tests of this process. */
export const engineName = (process.env['AFFKIT_TEST_ENGINE'] ?? 'chromium') as EngineName;

/**
 * Starts the engine.
 * @param options only for Chromium
 * @param secureOrigins origins whose self-signed certificate the browser must accept
 */
export function launchEngine(options: LaunchOptions, secureOrigins: readonly string[]): Promise<Engine> {
  switch (engineName) {
    case 'firefox':
      return launchFirefox();
    case 'webkit':
      return launchWebKit(secureOrigins);
    default:
      return launchChromium(options);
  }
}
