import { it, type TestFunction } from 'vitest';
import { type EngineName, engineName } from './index.ts';

/**
 * Returns `it`. In the given engine, which cannot run the test, it returns a function that does nothing.
 * @param _reason shown in docs/browsers.md
 */
export const itExcept =
  (engine: EngineName, _reason: string) =>
  (name: string, run: TestFunction): void => {
    if (engineName !== engine) it(name, run);
  };
