import type { Logger } from '../../src/runtime.ts';

/**
 * Discards all messages. Use it in tests that cause failures on purpose, because their logs would hide the
 * test output.
 */
export const SILENT: Logger = { info: () => {}, warn: () => {}, error: () => {} };
