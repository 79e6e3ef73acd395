import { it, type TestFunction } from 'vitest';
import { type EngineName, engineName } from './index.ts';

/**
 * Returns `it`, or in the engine that cannot run the test, a function that defines none.
 * @param _reason shown in docs/browsers.md
 */
export const itExcept =
  (engine: EngineName, _reason: string) =>
  (name: string, run: TestFunction): void => {
    if (engineName !== engine) it(name, run);
  };
