import type { Logger } from '../../src/runtime.ts';

/** For tests that cause failures, whose logs would hide the test output. */
export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };
