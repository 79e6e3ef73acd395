import { it, type TestFunction } from 'vitest';
import { type EngineName, engineName } from './index.ts';

/**
 * Declares a test like `it`, except in the given engine, which cannot run the test.
 * @param _reason shown in docs/browsers.md
 */
export const itExcept =
  (engine: EngineName, _reason: string) =>
  (name: string, run: TestFunction): void => {
    if (engineName !== engine) it(name, run);
  };
