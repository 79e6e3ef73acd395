import type { KeyObject } from 'node:crypto';
import type { Answer } from './domain/application.ts';
import type { TransactionIdScope } from './domain/transaction-id.ts';
import type { WorkspaceCreation } from './domain/workspace-creation.ts';
import type { MailSettings } from './mail/mailer.ts';
import type { Engine } from './storage/database/engine/engine.ts';
import type { ProgramAccount } from './storage/programs/programs.ts';

/** The place of a visit, derived from its IP address. Unknown parts are null. */
export interface GeoPlace {
  /** For example the ISO 3166-1 code `DE`. */
  country: string | null;
  region: string | null;
  city: string | null;
}

/** The device of a visit, derived from its `User-Agent` header. */
export interface Device {
  /** For example `desktop`, `mobile` or `tablet`. */
  type: string;
  /** The operating system's name, such as `Windows`, or null when unknown. */
  os: string | null;
  /** The browser's name, such as `Firefox`, or null when unknown. */
  browser: string | null;
}

/** A logger with the three levels that Affkit uses. A pino logger fits. An error is in the field `err`. */
export interface Logger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** An application for a program that is about to be stored. */
export interface ApplicationToVerify {
  readonly program: { readonly id: number; readonly slug: string };
  readonly name: string;
  readonly email: string;
  readonly answers: readonly Answer[];
  /** The field `captcha_token` of the request, or null. */
  readonly captchaToken: string | null;
  /** The IP address of the applicant, or null when unknown. */
  readonly ip: string | null;
}

/** The caller of a management request, as the audit log records it. */
export interface Author {
  readonly kind: 'user' | 'key';
  /** The id of the user or of the management key. */
  readonly id: number;
  readonly requestId: string;
}

/** The verified claims of a token of an external identity provider. */
export interface ExternalClaims {
  readonly issuer: string;
  readonly subject: string;
  /** ASCII in lower case. Null unless the provider says that the address is verified. */
  readonly email: string | null;
  /** Epoch milliseconds, according to the provider. */
  readonly issuedAt: number;
}

/**
 * Verifies tokens of the external identity provider that was configured by `AffkitOptions.identityProvider`.
 */
export interface IdentityProvider {
  /**
   * Verifies a token at the time `now`, in epoch milliseconds.
   *
   * @returns null when the provider did not issue the token, or it is not valid at that time
   * @throws Unavailable when the provider's key set cannot be fetched
   */
  verify(token: string, now: number): Promise<ExternalClaims | null>;
}

/**
 * The dependencies of every use case. `createAffkit` creates one from its options. The HTTP layer passes a
 * copy with `author` set to the use cases of management routes.
 */
export interface Runtime {
  readonly engine: Engine;
  /** Returns the program with this id, or null when it does not exist or was deleted. */
  readonly findProgram: (id: number) => Promise<ProgramAccount | null>;
  /** Returns the program whose tracking token has this SHA-256 in hex, or null. */
  readonly findProgramByToken: (tokenHash: string) => Promise<ProgramAccount | null>;
  /** The clock, in epoch milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
  /**
   * The service's secret. Never use it directly: `deriveKey` derives one key per purpose. It is a `KeyObject`
   * because that does not reveal its value in logs or JSON.
   */
  readonly secret: KeyObject;
  /** The origin of `AffkitOptions.publicUrl`, or null to derive it from each request. */
  readonly publicOrigin: string | null;
  /** Who may create workspaces. */
  readonly workspaceCreation: WorkspaceCreation;
  /** Where the transaction ids of sales are unique. Processor ids are always unique in the whole service. */
  readonly transactionIds: TransactionIdScope;
  /** Returns the place of an IP address, or null. Never throws. */
  readonly locate: (ip: string) => GeoPlace | null;
  /** Returns the device of a user agent. Never throws. */
  readonly readDevice: (userAgent: string) => Device;
  /** Whether the embedding app accepts an application. @throws Unavailable when its check fails */
  readonly verifyApplication: (application: ApplicationToVerify) => Promise<boolean>;
  readonly log: Logger;
  /** Where emails are sent, or null if the service sends none. */
  readonly mail: MailSettings | null;
  /** The external identity provider whose tokens count as sessions, or null. */
  readonly identityProvider: IdentityProvider | null;
  /** The caller of the current management request, for the audit log. Null outside of such a request. */
  readonly author: Author | null;
}
