import { configurationError } from './errors.ts';

/** Timers wrap around above it and fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The value of an option that counts something or is a time in milliseconds. */
export function wholeNumber(name: string, value: number, least: number): number {
  if (Number.isInteger(value) && value >= least && value <= LONGEST_TIMER_MS) return value;
  throw configurationError(`${name} must be a whole number from ${least} to ${LONGEST_TIMER_MS}`);
}

/** A name that is no option is a typo, which would else go unnoticed. */
export function refuseUnknownOptions(options: object, names: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  throw configurationError(`${unknown} is no option: there are ${Object.keys(names).join(', ')}`);
}
