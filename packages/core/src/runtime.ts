import type { KeyObject } from 'node:crypto';
import type { Engine } from './storage/database/engine/engine.ts';
import type { ProgramAccount } from './storage/programs/programs.ts';

/** Where a visit comes from, as far as its IP tells. */
export interface GeoPlace {
  country: string | null;
  region: string | null;
  city: string | null;
}

/** What a user agent says of a visit's device. */
export interface Device {
  type: string;
  os: string | null;
  browser: string | null;
}

/** The few levels that Affkit logs at; a pino logger fits. */
export interface Logger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** Who changes something, and in which request. */
export interface Author {
  readonly kind: 'user' | 'key';
  readonly id: number;
  readonly requestId: string;
}

/** What a token of an outside identity provider proves. */
export interface OutsideClaims {
  readonly issuer: string;
  readonly subject: string;
  /** In lower case, and only where the provider says that it is verified. */
  readonly email: string | null;
  readonly issuedAt: number;
}

/** Checks the sessions of the self-hoster's own identity provider. */
export interface IdentityProvider {
  /**
   * Null for a token that isn't the provider's, or isn't in force.
   * @throws Unavailable when the key set can't be had
   */
  verify(token: string, now: number): Promise<OutsideClaims | null>;
}

/** What every use case may reach for: given once, at `createAffkit`. */
export interface Runtime {
  readonly engine: Engine;
  /** The program of that id, or null when there is none or it was deleted. */
  readonly findProgram: (id: number) => Promise<ProgramAccount | null>;
  /** The program whose tracking token has that SHA-256 (hex), or null. */
  readonly findProgramByToken: (tokenHash: string) => Promise<ProgramAccount | null>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /** Every key in use is derived from it, one label each. No key object shows what it holds, in a log or as JSON. */
  readonly secret: KeyObject;
  readonly locate: (ip: string) => GeoPlace | null;
  readonly readDevice: (userAgent: string) => Device;
  readonly log: Logger;
  /** Whose tokens count as sessions too; null where there is none. */
  readonly identityProvider: IdentityProvider | null;
  /** Who calls a management route, for the audit log; null for everything else. */
  readonly author: Author | null;
}
