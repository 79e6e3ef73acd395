import type { Logger } from './runtime.ts';

/** Warnings and errors on the console, so that what fails is seen also where nobody has set up a log. */
export const CONSOLE_LOGGER: Logger = {
  info: () => {},
  warn: (fields, message) => console.warn(`affkit: ${message}`, fields),
  error: (fields, message) => console.error(`affkit: ${message}`, fields),
};
