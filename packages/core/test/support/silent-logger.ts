import type { Logger } from '../../src/runtime.ts';

/** For tests that make things fail: what is told of it would bury what is told of a test. */
export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };
