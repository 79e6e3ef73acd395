import { launchChromium } from './chromium.ts';
import type { Engine, EngineOptions } from './engine.ts';
import { launchFirefox } from './firefox.ts';
import { launchWebKit } from './webkit.ts';

export type EngineName = 'chromium' | 'firefox' | 'webkit';

/** The engine in which the tests of this process run. */
export const engineName = (process.env['AFFKIT_TEST_ENGINE'] ?? 'chromium') as EngineName;

/** Starts the engine. */
export function launchEngine(options: EngineOptions): Promise<Engine> {
  switch (engineName) {
    case 'firefox':
      return launchFirefox(options);
    case 'webkit':
      return launchWebKit(options);
    default:
      return launchChromium(options);
  }
}
