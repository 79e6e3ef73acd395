import { readBaseUrl } from './base-url.ts';
import { refuseUnknownOptions, wholeNumber } from './check-option.ts';
import { readEnvironment } from './environment.ts';
import { configurationError } from './errors.ts';
import type { Hooks } from './hooks.ts';
import { isLogLevel, type Logger, type LogLevel, levelLogger } from './log.ts';
import { type Runtime, systemRuntime } from './runtime.ts';
import type { Spool } from './spool/spool.ts';
import { readToken, type TokenSource } from './token.ts';
import { type FetchLike, fetchTransport, type Transport } from './transport.ts';

/** What a client is made with. Unknown names are refused. */
export interface AffkitOptions {
  /** The program's tracking token (`aff_…`). @default the environment's `AFFKIT_TOKEN` */
  readonly token?: TokenSource | undefined;
  /** The server's address; https, but for loopback. @default the environment's `AFFKIT_BASE_URL` */
  readonly baseUrl?: string | undefined;
  /** For `webhooks`; a list while a secret is being replaced. @default the environment's `AFFKIT_WEBHOOK_SECRET` */
  readonly webhookSecret?: string | readonly string[] | undefined;
  /** For each request, its reply's body included. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** For the whole call: all requests and the pauses between them. @default 30000 */
  readonly deadlineMs?: number | undefined;
  /** Requests that may follow the first; 0 means none. @default 3 */
  readonly maxRetries?: number | undefined;
  /** @default the global `fetch`, looked up at each request */
  readonly fetch?: FetchLike | undefined;
  /** Sends the requests in place of `fetch`. */
  readonly transport?: Transport | undefined;
  /** @default console */
  readonly logger?: Logger | undefined;
  /** @default 'warn' */
  readonly logLevel?: LogLevel | undefined;
  readonly hooks?: Hooks | undefined;
  /** Keeps every event until it is delivered: calls then resolve as `queued`. See `@affkit/node/spool`. */
  readonly spool?: Spool | undefined;
  /** Given the promise of every call, for runtimes that else end with the response, e.g. `ctx.waitUntil`. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /** A clock, timers and random numbers for tests. @default `systemRuntime` */
  readonly runtime?: Runtime | undefined;
}

/** For one call; each overrides the client's own. */
export interface CallOptions {
  /** Ends the call with an `AffkitAbortError`; the event may have been recorded by then. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly maxRetries?: number | undefined;
}

/** How long and how often a call is tried. */
export interface Limits {
  readonly timeoutMs: number;
  readonly deadlineMs: number;
  readonly maxRetries: number;
}

/** Options that were checked, with every default in place. */
export interface Settings extends Limits {
  readonly token: TokenSource;
  readonly baseUrl: string;
  readonly webhookSecret: string | readonly string[] | undefined;
  readonly transport: Transport;
  readonly logger: Logger;
  readonly hooks: Hooks;
  readonly spool: Spool | undefined;
  readonly waitUntil: ((promise: Promise<unknown>) => void) | undefined;
  readonly runtime: Runtime;
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
  spool: true,
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

/** Checks a client's options and fills in the environment and the defaults. */
export function readOptions(options: AffkitOptions): Settings {
  refuseUnknownOptions(options, OPTION_NAMES);
  const environment = readEnvironment();
  const token = options.token ?? environment.token;
  if (options.fetch !== undefined && options.transport !== undefined) {
    throw configurationError('fetch and transport exclude each other: pass one');
  }
  const logLevel = options.logLevel ?? 'warn';
  if (!isLogLevel(logLevel)) throw configurationError('logLevel must be debug, info, warn, error or off');
  return {
    token: typeof token === 'function' ? token : readToken(token),
    baseUrl: readBaseUrl(options.baseUrl ?? environment.baseUrl),
    webhookSecret: options.webhookSecret ?? environment.webhookSecret,
    ...readLimits(options, DEFAULT_LIMITS),
    transport: options.transport ?? fetchTransport(options.fetch),
    logger: levelLogger(options.logger ?? console, logLevel),
    hooks: options.hooks ?? {},
    spool: options.spool,
    waitUntil: options.waitUntil,
    runtime: options.runtime ?? systemRuntime,
  };
}

/** The limits of one call. */
export function readCallOptions(options: CallOptions, defaults: Limits): Limits {
  refuseUnknownOptions(options, CALL_OPTION_NAMES);
  return readLimits(options, defaults);
}

function readLimits(options: Partial<CallOptions>, defaults: Limits): Limits {
  return {
    timeoutMs: wholeNumber('timeoutMs', options.timeoutMs ?? defaults.timeoutMs, 1),
    deadlineMs: wholeNumber('deadlineMs', options.deadlineMs ?? defaults.deadlineMs, 1),
    maxRetries: wholeNumber('maxRetries', options.maxRetries ?? defaults.maxRetries, 0),
  };
}
