import type { Logger } from './runtime.ts';

/**
 * The default logger. It writes warnings and errors to the console, so that you see failures without any
 * setup.
 */
export const CONSOLE_LOGGER: Logger = {
  info: () => {},
  warn: (fields, message) => console.warn(`affkit: ${message}`, fields),
  error: (fields, message) => console.error(`affkit: ${message}`, fields),
};
