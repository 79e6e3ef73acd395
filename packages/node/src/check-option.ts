import { configurationError } from './errors.ts';

/** The longest delay of `setTimeout`. A longer delay overflows, and the timer fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Validates a count or a time in milliseconds.
 *
 * @throws AffkitConfigurationError if the value is not an integer between `min` and 2^31 - 1
 */
export function readInteger(name: string, value: number, min: number): number {
  if (Number.isInteger(value) && value >= min && value <= MAX_TIMER_MS) return value;
  throw configurationError(
    `${name} must be an integer between ${min} and ${MAX_TIMER_MS}, got ${String(value)}`,
  );
}

/** @throws AffkitConfigurationError if the value is not a boolean */
export function readBoolean(name: string, value: boolean): boolean {
  if (typeof value === 'boolean') return value;
  throw configurationError(`${name} must be true or false, got ${String(value)}`);
}

/**
 * Rejects option names that do not exist, because a typo would otherwise go unnoticed.
 *
 * @throws AffkitConfigurationError that names the unknown option and lists the valid ones
 */
export function rejectUnknownOptions(options: object, names: object): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  throw configurationError(`Unknown option ${unknown}. Valid options: ${Object.keys(names).join(', ')}`);
}
