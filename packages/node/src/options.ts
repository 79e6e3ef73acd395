import { readBaseUrl } from './base-url.ts';
import { readBoolean, readInteger, rejectUnknownOptions } from './check-option.ts';
import { readVariable } from './environment.ts';
import { configurationError } from './errors.ts';
import type { Hooks } from './hooks.ts';
import { isLogLevel, type Logger, type LogLevel, levelLogger } from './log.ts';
import type { TraceContext, TraceHeaders } from './open-telemetry.ts';
import type { TrackEndpoint } from './retry.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import type { Spool } from './spool/spool.ts';
import { type CredentialReader, credentialReader, type TokenSource, validateToken } from './token.ts';
import { type FetchLike, fetchTransport, type Transport } from './transport.ts';

/** Options of the `Affkit` constructor. Unknown option names throw an `AffkitConfigurationError`. */
export interface AffkitOptions {
  /**
   * The program's tracking token (`aff_…`), or a function that returns it. The function is called before
   * every request, so it can return a rotated token.
   *
   * @default the environment variable `AFFKIT_TOKEN`
   */
  readonly token?: TokenSource | undefined;
  /**
   * The URL of the Affkit server, e.g. `https://affiliates.example.com`. It must use https, except on
   * loopback.
   *
   * @default the environment variable `AFFKIT_BASE_URL`
   */
  readonly baseUrl?: string | undefined;
  /**
   * The webhook signing secret that `affkit.webhooks` uses. Pass a list of the new and the old secret while
   * you rotate it.
   *
   * @default the environment variable `AFFKIT_WEBHOOK_SECRET`
   */
  readonly webhookSecret?: string | readonly string[] | undefined;
  /**
   * Timeout of each HTTP request in milliseconds, including the time to read the response body.
   *
   * @default 10000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Time limit of the whole call in milliseconds, including all retries and the delays between them.
   *
   * @default 30000
   */
  readonly deadlineMs?: number | undefined;
  /**
   * Maximum number of retries of a request. 0 disables retries.
   *
   * @default 3
   */
  readonly maxRetries?: number | undefined;
  /**
   * A `fetch` implementation. Cannot be combined with `transport`.
   *
   * @default the global `fetch`, looked up at each request
   */
  readonly fetch?: FetchLike | undefined;
  /** Sends the HTTP requests instead of `fetch`, e.g. `undiciTransport()` of `@affkit/node/undici`. */
  readonly transport?: Transport | undefined;
  /**
   * Receives log messages with structured fields. Neither the messages nor the fields contain the token.
   *
   * @default console
   */
  readonly logger?: Logger | undefined;
  /**
   * The least severe level that is logged: `debug`, `info`, `warn`, `error` or `off`.
   *
   * @default 'warn'
   */
  readonly logLevel?: LogLevel | undefined;
  /**
   * Returns the headers `traceparent` and `tracestate` of each call, so that the server continues your trace. Other
   * headers are ignored. `() => ({})` turns this off.
   *
   * @default the headers of the active span, if your app has registered OpenTelemetry
   */
  readonly traceContext?: TraceContext | undefined;
  /** Callbacks for metrics and alerts. */
  readonly hooks?: Hooks | undefined;
  /**
   * Stores every event durably before it is sent. Calls then resolve with `status: 'queued'`. Use
   * `fileSpool()` of `@affkit/node/spool`. A spool belongs to one client.
   *
   * @default none: each call sends its event directly
   */
  readonly spool?: Spool | undefined;
  /**
   * Whether a call throws an `AffkitValidationError` if the customer of the lead or sale has no partner. If false, the
   * call resolves with `status: 'unattributed'`. With a spool, the call resolves before its event is sent. If this
   * option is true, the spool moves an event without a partner to `dead/`.
   *
   * @default false
   */
  readonly throwOnUnattributed?: boolean | undefined;
  /**
   * Receives a promise for every call with valid input. The promise resolves when the call has ended, and never
   * rejects. Set the option in runtimes that stop your code once it has sent its response, e.g.
   * `(promise) => ctx.waitUntil(promise)` on Workers. If the function throws, the error is logged and does not affect
   * the call.
   */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /**
   * The clock, timers and random numbers of the client. Replace it in tests.
   *
   * @default systemRuntime
   */
  readonly runtime?: Runtime | undefined;
}

/**
 * Options of a single call. Each option overrides the client's option of the same name.
 *
 * With a spool, the limits do not apply: the spool sends the event later with the limits of the client.
 */
export interface CallOptions {
  /**
   * Aborts the call, which then throws an `AffkitAbortError`. The event may already be recorded. With a
   * spool, the signal is only checked before the event is stored.
   */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of each HTTP request in milliseconds, including the time to read the response body. */
  readonly timeoutMs?: number | undefined;
  /** Time limit of the whole call in milliseconds, including all retries and the delays between them. */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries of a request. 0 disables retries. */
  readonly maxRetries?: number | undefined;
}

/** The time and retry limits of a call. */
export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
}

/** The settings of every request. */
export interface SendSettings<Operation extends string = TrackEndpoint> extends Limits {
  readonly readCredential: CredentialReader;
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly logger: Logger;
  readonly hooks: Hooks<Operation>;
  /**
   * Reads the headers that identify the caller's trace span. Never rejects. Returns undefined if the app does
   * not trace.
   */
  readonly readTrace?: () => Promise<TraceHeaders> | undefined;
  readonly runtime: Runtime;
}

/** Validated options, with the environment variables and defaults filled in. */
export interface Settings extends SendSettings {
  readonly webhookSecret: string | readonly string[] | undefined;
  readonly spool: Spool | undefined;
  readonly throwOnUnattributed: boolean;
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined;
}

const OPTION_NAMES: Record<keyof AffkitOptions, true> = {
  token: true,
  baseUrl: true,
  webhookSecret: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  fetch: true,
  transport: true,
  logger: true,
  logLevel: true,
  hooks: true,
  traceContext: true,
  spool: true,
  throwOnUnattributed: true,
  waitUntil: true,
  runtime: true,
};
const CALL_OPTION_NAMES: Record<keyof CallOptions, true> = {
  signal: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
};
const DEFAULT_LIMITS: Limits = { timeoutMs: 10_000, deadlineMs: 30_000, maxRetries: 3 };

/**
 * Validates the options of a client. Missing options are read from environment variables, or get their defaults.
 *
 * @throws AffkitConfigurationError if an option is missing, invalid or unknown
 */
export function readOptions(options: AffkitOptions): Settings {
  rejectUnknownOptions(options, OPTION_NAMES);
  if (options.fetch !== undefined && options.transport !== undefined) {
    throw configurationError('fetch and transport cannot be combined: pass only one of them');
  }
  const logLevel = options.logLevel ?? 'warn';
  if (!isLogLevel(logLevel)) {
    throw configurationError(`logLevel must be debug, info, warn, error or off, got ${String(logLevel)}`);
  }
  return {
    readCredential: credentialReader('token', options.token ?? readVariable('AFFKIT_TOKEN'), validateToken),
    baseUrl: readBaseUrl(options.baseUrl ?? readVariable('AFFKIT_BASE_URL')),
    webhookSecret: options.webhookSecret ?? readVariable('AFFKIT_WEBHOOK_SECRET'),
    ...readLimits(options, DEFAULT_LIMITS),
    transport: options.transport ?? fetchTransport(options.fetch),
    logger: levelLogger(options.logger ?? console, logLevel),
    hooks: options.hooks ?? {},
    spool: options.spool,
    throwOnUnattributed: readBoolean('throwOnUnattributed', options.throwOnUnattributed ?? false),
    waitUntil: options.waitUntil,
    runtime: options.runtime ?? systemRuntime,
  };
}

/**
 * The limits of one call.
 *
 * @throws AffkitConfigurationError if an option is invalid or unknown
 */
export function readCallOptions(options: CallOptions, defaults: Limits): Limits {
  rejectUnknownOptions(options, CALL_OPTION_NAMES);
  return readLimits(options, defaults);
}

function readLimits(options: Partial<CallOptions>, defaults: Limits): Limits {
  return {
    timeoutMs: readInteger('timeoutMs', options.timeoutMs ?? defaults.timeoutMs, 1),
    deadlineMs: readInteger('deadlineMs', options.deadlineMs ?? defaults.deadlineMs, 1),
    maxRetries: readInteger('maxRetries', options.maxRetries ?? defaults.maxRetries, 0),
  };
}
