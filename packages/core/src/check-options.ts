import { MIN_SECRET_LENGTH } from './access/derive-key.ts';
import type { AffkitOptions } from './create-affkit.ts';

const REQUIRED = ['engine', 'secret'] as const;
/** As a table, the compiler tells which one is left out. */
const OPTIONS: Readonly<Record<keyof AffkitOptions, true>> = {
  engine: true,
  secret: true,
  locate: true,
  readDevice: true,
  logger: true,
  admit: true,
  identityProvider: true,
  otherRoutes: true,
  now: true,
  randomBytes: true,
};

/**
 * Refuses options that are wrong in a way that would show much later, or never.
 * @throws TypeError for one that is missing or that nobody knows, RangeError for a secret that is too short
 */
export function checkOptions(options: AffkitOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `createAffkit knows no option ${unknown}: there are ${Object.keys(OPTIONS).join(', ')}`,
    );
  }
  for (const name of REQUIRED) {
    if (options[name] === undefined) throw new TypeError(`createAffkit needs the option ${name}`);
  }
  if (options.secret.length < MIN_SECRET_LENGTH) {
    throw new RangeError(`secret must have at least ${MIN_SECRET_LENGTH} characters`);
  }
}
