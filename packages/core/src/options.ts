import { MIN_SECRET_LENGTH } from './access/derive-key.ts';
import type { IdentityProviderOptions } from './access/identity-provider.ts';
import type { Admit } from './http/handle.ts';
import type { OtherRoute } from './http/openapi/description.ts';
import type { Device, GeoPlace, Logger } from './runtime.ts';
import type { Engine } from './storage/database/engine/engine.ts';

/** What `createAffkit` is made of. */
export interface AffkitOptions {
  /** `sqliteEngine(…)` of `@affkit/core/sqlite`, or `postgresEngine(…)` of `@affkit/core/postgres`. */
  readonly engine: Engine;
  /**
   * At least 32 characters. Sessions are signed, and webhook secrets of processor connections sealed, by keys derived from
   * it. Keep it for good: with a new one all sessions end, and webhook secrets that are stored can't be read any more.
   * `migrate` tells the log where it is not the one that the database was set up with.
   */
  readonly secret: string;
  /** Place of an IP address. Where it throws, the place is unknown. @default every place is unknown */
  readonly locate?: (ip: string) => GeoPlace | null;
  /** Device of a user agent. Where it throws, the device is unknown. @default by ua-parser-js, cached */
  readonly readDevice?: (userAgent: string) => Device;
  /** @default warnings and errors on the console */
  readonly logger?: Logger;
  /**
   * Refuses unauthenticated tracking requests, e.g. by rate; they are answered 429. Where it fails, they are let in.
   * @default all are let in
   */
  readonly admit?: Admit;
  /** An outside identity provider whose tokens are taken as sessions. @default none */
  readonly identityProvider?: IdentityProviderOptions;
  /** Routes that the app serves beside these, to be described with them. @default none */
  readonly otherRoutes?: readonly OtherRoute[];
  /** Epoch milliseconds. @default the system's clock */
  readonly now?: () => number;
  /** @default the system's generator */
  readonly randomBytes?: (count: number) => Uint8Array;
}

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
