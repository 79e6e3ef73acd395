import type { KeyObject } from 'node:crypto';
import type { PayoutProviderName } from '@affkit/protocol';
import type { Captcha } from './captcha/captcha.ts';
import type { Answer } from './domain/application.ts';
import type { TransactionIdScope } from './domain/transaction-id.ts';
import type { WorkspaceCreation } from './domain/workspace-creation.ts';
import type { MailSettings } from './mail/mailer.ts';
import type { PayoutProvider } from './payout-provider/provider.ts';
import type { Engine } from './storage/database/engine/engine.ts';
import type { ProgramAccount } from './storage/programs/programs.ts';
import type { Telemetry } from './telemetry/telemetry.ts';
import type { WebhookSender } from './webhooks/send-webhook.ts';

/** The place of a visit, determined from the IP address. Unknown parts are null. */
export interface GeoPlace {
  /** For example, the ISO 3166-1 code `DE`. */
  country: string | null;
  region: string | null;
  city: string | null;
}

/** The device of a visit, determined from the `User-Agent` header. */
export interface Device {
  /** For example, `desktop`, `mobile` or `tablet`. */
  type: string;
  /** The operating system's name, such as `Windows`, or null when unknown. */
  os: string | null;
  /** The browser's name, such as `Firefox`, or null when unknown. */
  browser: string | null;
}

/**
 * A logger with the three levels that Affkit uses. You can pass a pino logger. Errors are passed in the field
 * `err`.
 */
export interface Logger {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export interface ApplicationToVerify {
  readonly program: { readonly id: number; readonly slug: string };
  readonly name: string;
  readonly email: string;
  readonly answers: readonly Answer[];
  /** The field `captcha_token` of the application, or null. */
  readonly captchaToken: string | null;
  /** The IP address of the applicant, or null when unknown. */
  readonly ip: string | null;
}

/** The caller of a management request, for the audit log. */
export interface Author {
  readonly kind: 'user' | 'key';
  /** The id of the user or of the management key. */
  readonly id: number;
  readonly requestId: string;
}

/** The verified claims of a token from an external identity provider. */
export interface ExternalClaims {
  readonly issuer: string;
  readonly subject: string;
  /** The email address, in ASCII and lower case. Null if the provider has not verified the address. */
  readonly email: string | null;
  /** The time at which the provider says that it issued the token, in epoch milliseconds. */
  readonly issuedAt: number;
}

/** Verifies the tokens of the external identity provider in `AffkitOptions.identityProvider`. */
export interface IdentityProvider {
  /**
   * Verifies a token as of `now`, in epoch milliseconds.
   *
   * @returns null when the provider did not issue the token, or the token is not valid at that time
   * @throws Unavailable when the provider's key set cannot be fetched
   */
  verify(token: string, now: number): Promise<ExternalClaims | null>;
}

/**
 * The dependencies of all use cases. `createAffkit` creates a runtime from its options. For management
 * routes, the HTTP layer passes a copy in which `author` is set.
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
   * The service's secret. Do not use it directly: `deriveKey` derives a separate key for each purpose. A
   * `KeyObject` does not reveal its value in logs or JSON.
   */
  readonly secret: KeyObject;
  /** The origin of `AffkitOptions.publicUrl`. If null, the origin is determined from each request. */
  readonly publicOrigin: string | null;
  /** Who may create workspaces. */
  readonly workspaceCreation: WorkspaceCreation;
  /**
   * The scope in which the transaction ids of sales must be unique. The processor's payment ids must always be
   * unique in the whole service.
   */
  readonly transactionIds: TransactionIdScope;
  /** Returns the place of an IP address, or null. Never throws. */
  readonly locate: (ip: string) => GeoPlace | null;
  /** Returns the device of a user agent. Never throws. */
  readonly readDevice: (userAgent: string) => Device;
  /** Whether the embedding app accepts an application. @throws Unavailable when the app's check fails */
  readonly verifyApplication: (application: ApplicationToVerify) => Promise<boolean>;
  /** The captcha of applications, or null if there is none. */
  readonly captcha: Captcha | null;
  readonly log: Logger;
  /** Traces and metrics. Undefined if they are off. */
  readonly telemetry?: Telemetry | undefined;
  /** How emails are sent, or null if the service sends no email. */
  readonly mail: MailSettings | null;
  /** The payment services that can send payouts, by name. */
  readonly payoutProviders: ReadonlyMap<PayoutProviderName, PayoutProvider>;
  /** The workspaces that may send payouts with `payoutProviders`. */
  readonly payoutWorkspaces: readonly number[] | 'all';
  /** Sends webhooks to the endpoints of programs. */
  readonly webhookSender: WebhookSender;
  /** The external identity provider whose tokens are accepted as sessions, or null. */
  readonly identityProvider: IdentityProvider | null;
  /** The caller of the current management request, for the audit log. Null in all other code. */
  readonly author: Author | null;
}
