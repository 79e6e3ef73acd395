import type { Logger } from '../../src/runtime.ts';

/** Discards all messages. For tests that cause failures on purpose, whose logs would hide the test output. */
export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };
