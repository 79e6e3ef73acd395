import { PAYOUT_PROVIDERS } from '@affkit/protocol';
import { MIN_SECRET_LENGTH } from './access/derive-key.ts';
import type { IdentityProviderOptions } from './access/identity-provider.ts';
import { type CaptchaOptions, checkCaptchaOptions } from './captcha/options.ts';
import { TRANSACTION_ID_SCOPES, type TransactionIdScope } from './domain/transaction-id.ts';
import { WORKSPACE_CREATION, type WorkspaceCreation } from './domain/workspace-creation.ts';
import type { Admit } from './http/handle.ts';
import type { OtherRoute } from './http/openapi/description.ts';
import type { Mailer, MailSettings } from './mail/mailer.ts';
import type { PayoutProvider } from './payout-provider/provider.ts';
import type { ApplicationToVerify, Device, GeoPlace, Logger } from './runtime.ts';
import type { Engine } from './storage/database/engine/engine.ts';
import type { TelemetryOptions } from './telemetry/telemetry.ts';
import { isHostEntry } from './webhooks/endpoint-url.ts';

/** The options of `createAffkit`. */
export interface AffkitOptions {
  /**
   * The database: `sqliteEngine({ path })` from `@affkit/core/sqlite`, or `postgresEngine({ connectionString
   * })` from `@affkit/core/postgres`. Use each engine for one Affkit instance only, because the instance's
   * `close` also closes the engine.
   */
  readonly engine: Engine;
  /**
   * A secret of at least 32 characters. Affkit derives keys from the secret. The keys sign sessions, and
   * encrypt webhook secrets and payout details.
   *
   * Never change it. With another secret, all sessions are invalid, and stored webhook secrets and payout
   * details cannot be decrypted. `migrate` logs an error when the secret differs from the secret that the
   * database was set up with.
   */
  readonly secret: string;
  /**
   * Looks up the location of a visitor's IP address. The function must be synchronous and return null for an
   * unknown location. If it throws, the visit is stored without a location. Affkit does not store the IP address.
   *
   * @default a function that returns null
   */
  readonly locate?: (ip: string) => GeoPlace | null;
  /**
   * Parses the first 256 characters of the `User-Agent` header, for each recorded click and each started
   * session. The function must be synchronous. If it throws, the device is unknown.
   *
   * @default a parser that caches its results and returns the same names as ua-parser-js 1.x
   */
  readonly readDevice?: (userAgent: string) => Device;
  /**
   * Receives log messages. You can pass a pino logger.
   *
   * @default a logger that writes warnings and errors to the console
   */
  readonly logger?: Logger;
  /**
   * Limits the rate of these public requests: clicks, leads without a valid tracking token, applications, program
   * pages, the pages behind links in emails, and payout webhooks. Return `{ retryAfterSeconds }` to answer with
   * 429, or null to admit the request. If the promise rejects, the request is admitted.
   *
   * @default no limit: every request is admitted
   */
  readonly admit?: Admit;
  /**
   * Checks a partner's application for a program before Affkit stores the application. For example, check the
   * `captcha_token` of your own form. Return false to reject the application. If the function throws or its promise
   * rejects, the applicant gets a 503 and can try again.
   *
   * @default accepts every application
   */
  readonly verifyApplication?: (application: ApplicationToVerify) => boolean | Promise<boolean>;
  /**
   * A captcha that applicants must solve on the program pages. Applications through the API then require a
   * `captcha_token` of the same captcha service. While the captcha service cannot check tokens, applications
   * are rejected with a 503.
   *
   * @default none
   */
  readonly captcha?: CaptchaOptions;
  /**
   * Your own identity provider. Its JWTs are then accepted as sessions, in addition to Affkit's own.
   *
   * @default none
   */
  readonly identityProvider?: IdentityProviderOptions;
  /**
   * The URL under which browsers reach the service, such as `https://affiliates.example`. Only pages of this
   * origin can make changes with a browser session, and every program accepts clicks and leads from them. The
   * session cookie has the attribute `Secure` if the URL begins with `https:`. A path in the URL is used only for
   * links in emails. Set this option when a proxy changes the `Host` header, or when the adapter reports
   * `secure: false` although visitors use HTTPS.
   *
   * @default the scheme and the `Host` header of each request
   */
  readonly publicUrl?: string;
  /**
   * Sends emails: password resets, invitations, and notices about applications, commissions, and payouts. This
   * option requires `publicUrl`, because the links in emails must not depend on a `Host` header. Emails are sent by
   * the jobs, so run the jobs in at least one process.
   *
   * @default none; the operator must then create password reset links, and the advertiser must send invitation
   * links to the invited people
   */
  readonly mailer?: Mailer;
  /**
   * The payment services whose APIs send payouts: `createPayPalProvider` and `createStripeProvider`, or your own.
   * The advertiser can choose one of them for a payout batch. The jobs send the payouts, so run the jobs in at
   * least one process.
   *
   * @default []; the advertiser downloads a payout file and uploads it to a bank or payment service
   */
  readonly payoutProviders?: readonly PayoutProvider[];
  /**
   * The ids of the workspaces that may send payouts with `payoutProviders`, or `all`. The providers pay from
   * your account, so list only your own workspaces. Required together with `payoutProviders`.
   */
  readonly payoutWorkspaces?: readonly number[] | 'all';
  /**
   * Hosts with private addresses to which webhooks may be sent, such as `hooks.internal` or `10.0.0.5:8080`.
   * The service may also reach them with http. Members of every workspace can make the service send requests
   * to these hosts, so name only hosts that are meant to receive such requests.
   *
   * @default []; webhooks are sent only to hosts on the internet, with https
   */
  readonly webhookAllowHosts?: readonly string[];
  /**
   * The URL of the dashboard, for links in emails. Set it if the dashboard is not mounted at the default
   * path.
   *
   * @default `/app` below `publicUrl`
   */
  readonly dashboardUrl?: string;
  /**
   * Who may create a workspace with `POST /api/advertiser/workspaces`:
   *
   * - `owner`: only users who already own a workspace.
   * - `anyone`: every signed-in user, including partners.
   *
   * @default 'owner'
   */
  readonly workspaceCreation?: WorkspaceCreation;
  /**
   * The scope in which the transaction ids of sales must be unique:
   *
   * - `service`: in the whole service.
   * - `workspace`: in a workspace, so that one company cannot use up the order ids of another company. Ids that
   *   begin with `pi_`, `in_`, `ch_`, `py_` or `cs_` must still be unique in the whole service, because they are
   *   payment ids of the processor.
   *
   * The first `migrate` stores the value in the database. From then on, `migrate` rejects any other value.
   * Use `changeTransactionIds` to change the value.
   *
   * @default 'service'
   */
  readonly transactionIds?: TransactionIdScope;
  /**
   * Whether to serve the public pages of programs at `/p/:slug`. Set it to false if Affkit is mounted at the
   * root and your app has its own pages at such paths.
   *
   * @default true
   */
  readonly programPages?: boolean;
  /**
   * Public GET routes that your app serves itself. Affkit does not handle them, but lists them in
   * `/api/openapi.json` and `/docs`.
   *
   * @default []
   */
  readonly otherRoutes?: readonly OtherRoute[];
  /**
   * Reports traces and metrics to OpenTelemetry (`{ api }`, with `import * as api from '@opentelemetry/api'`), or
   * metrics to your own function (`{ measure }`).
   *
   * @default none; nothing is measured
   */
  readonly telemetry?: TelemetryOptions;
  /**
   * The clock, in epoch milliseconds. Fractions are truncated. Replace it in tests.
   *
   * @default Date.now
   */
  readonly now?: () => number;
  /**
   * Returns `count` random bytes for tokens, keys and ids. The bytes must be cryptographically secure. Replace this
   * function in tests.
   *
   * @default crypto.randomBytes
   */
  readonly randomBytes?: (count: number) => Uint8Array;
}

const REQUIRED_OPTIONS = ['engine', 'secret'] as const;
/** An object instead of an array, so that the compiler reports options that are missing here. */
const OPTIONS: Readonly<Record<keyof AffkitOptions, true>> = {
  engine: true,
  secret: true,
  locate: true,
  readDevice: true,
  logger: true,
  admit: true,
  verifyApplication: true,
  captcha: true,
  identityProvider: true,
  publicUrl: true,
  mailer: true,
  payoutProviders: true,
  payoutWorkspaces: true,
  webhookAllowHosts: true,
  dashboardUrl: true,
  workspaceCreation: true,
  transactionIds: true,
  programPages: true,
  otherRoutes: true,
  telemetry: true,
  now: true,
  randomBytes: true,
};

const OPTION_CHOICES = {
  workspaceCreation: WORKSPACE_CREATION,
  transactionIds: TRANSACTION_ID_SCOPES,
} as const;

/**
 * Checks the options for mistakes that would otherwise go unnoticed.
 *
 * @throws TypeError when a required option is missing or an option is unknown
 * @throws RangeError when the secret is too short, or the value of an option is not allowed
 */
export function checkOptions(options: AffkitOptions): void {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown !== undefined) {
    throw new TypeError(
      `createAffkit: unknown option "${unknown}". Known options: ${Object.keys(OPTIONS).join(', ')}.`,
    );
  }
  for (const name of REQUIRED_OPTIONS) {
    if (options[name] === undefined) throw new TypeError(`createAffkit: the option "${name}" is required`);
  }
  if (options.secret.length < MIN_SECRET_LENGTH) {
    throw new RangeError(`createAffkit: secret must have at least ${MIN_SECRET_LENGTH} characters`);
  }
  const { publicUrl } = options;
  if (publicUrl !== undefined && !isPublicUrl(publicUrl)) {
    throw new RangeError(
      `createAffkit: publicUrl must be an http or https URL without a user, query or fragment, such as https://affiliates.example, got ${JSON.stringify(publicUrl)}`,
    );
  }
  checkMailer(options);
  checkPayoutProviders(options);
  checkWebhookHosts(options);
  if (options.captcha !== undefined) checkCaptchaOptions(options.captcha);
  const { programPages } = options;
  if (programPages !== undefined && typeof programPages !== 'boolean') {
    throw new RangeError(
      `createAffkit: programPages must be true or false, got ${JSON.stringify(programPages)}`,
    );
  }
  for (const [name, choices] of Object.entries(OPTION_CHOICES)) {
    const value: unknown = options[name as keyof typeof OPTION_CHOICES];
    if (value === undefined || (choices as readonly unknown[]).includes(value)) continue;
    const allowed = choices.map((choice) => `'${choice}'`).join(' or ');
    throw new RangeError(`createAffkit: ${name} must be ${allowed}, got ${JSON.stringify(value)}`);
  }
}

/** @returns null if the service sends no email */
export function mailSettingsOf({ mailer, publicUrl, dashboardUrl }: AffkitOptions): MailSettings | null {
  if (mailer === undefined || publicUrl === undefined) return null;
  const url = dashboardUrl ?? `${withoutSlash(publicUrl)}/app`;
  return { mailer, dashboardUrl: withoutSlash(url), serviceUrl: withoutSlash(publicUrl) };
}

function withoutSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}

function checkMailer({ mailer, publicUrl, dashboardUrl }: AffkitOptions): void {
  if (dashboardUrl !== undefined && !isHttpUrl(dashboardUrl)) {
    throw new RangeError(
      `createAffkit: dashboardUrl must be an http or https URL, such as https://affiliates.example/app, got ${JSON.stringify(dashboardUrl)}`,
    );
  }
  if (mailer === undefined) return;
  if (publicUrl === undefined) {
    throw new TypeError(
      'createAffkit: mailer requires publicUrl. Set it to the URL at which browsers reach the service, because links in emails begin with it.',
    );
  }
  const { from, send }: { from?: unknown; send?: unknown } = mailer;
  const address = typeof from === 'object' && from !== null && 'address' in from ? from.address : null;
  if (typeof address !== 'string' || !/^[^\s@<>]+@[^\s@<>]+$/.test(address)) {
    throw new RangeError(
      `createAffkit: mailer.from.address must be an email address, such as affiliates@shop.example, got ${JSON.stringify(address)}`,
    );
  }
  if (typeof send !== 'function') throw new TypeError('createAffkit: mailer.send must be a function');
}

/**
 * Whether the value is a valid `publicUrl`. It must not have a user, query or fragment, because the paths of links are
 * appended to its text.
 */
export function isPublicUrl(value: unknown): boolean {
  const url = typeof value === 'string' && /^https?:\/\/[^\s?#]+$/i.test(value) ? URL.parse(value) : null;
  return url !== null && url.username === '' && url.password === '';
}

/** The parameter has the type `unknown` because JavaScript callers can pass anything. */
function isHttpUrl(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

function checkWebhookHosts({ webhookAllowHosts = [] }: AffkitOptions): void {
  const wrong: unknown = webhookAllowHosts.find((entry) => !isHostEntry(entry));
  if (wrong === undefined) return;
  throw new RangeError(
    `createAffkit: webhookAllowHosts must contain hosts in lower case, with or without a port, such as hooks.internal or 10.0.0.5:8080, got ${JSON.stringify(wrong)}`,
  );
}

function checkPayoutProviders({ payoutProviders = [], payoutWorkspaces }: AffkitOptions): void {
  const names = payoutProviders.map(({ name }) => name);
  const wrong = names.find(
    (name, index) => !PAYOUT_PROVIDERS.includes(name) || names.indexOf(name) !== index,
  );
  if (wrong !== undefined) {
    throw new RangeError(
      `createAffkit: each name in payoutProviders must be unique and one of ${PAYOUT_PROVIDERS.join(', ')}, got ${JSON.stringify(wrong)}`,
    );
  }
  if (names.length > 0 && payoutWorkspaces === undefined) {
    throw new TypeError(
      'createAffkit: payoutProviders requires payoutWorkspaces. List the ids of the workspaces whose payouts are paid from your account.',
    );
  }
}
