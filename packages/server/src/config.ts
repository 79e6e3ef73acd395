import { type CaptchaOptions, isPublicUrl, MIN_SECRET_LENGTH, parsePostgresUrl } from '@affkit/core';
import { z } from 'zod';
import { captchaVariables, readCaptchaSettings } from './captcha-settings.ts';
import { ConfigError } from './config-error.ts';
import { findMisspelledVariables } from './misspelled-variable.ts';
import { type PayoutSettings, payoutVariables, readPayoutSettings } from './payout-settings.ts';
import { type MailSender, mailFrom, type SmtpServer, smtpUrl } from './smtp-settings.ts';
import type { TrackerPaths } from './tracker-script.ts';
import { trustProxy } from './trust-proxy-setting.ts';
import { webhookAllowHosts } from './webhook-settings.ts';

/** For SQLite, `path` may be `:memory:`. */
export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly path: string }
  | {
      readonly kind: 'postgres';
      readonly connectionString: string;
      readonly pooler: DatabasePooler;
      /** The URL of a read replica. Lists, time series and exports are read from it. */
      readonly readConnectionString: string | undefined;
    };

/** `transaction` if `DATABASE_URL` points to a connection pooler in transaction mode. */
type DatabasePooler = 'session' | 'transaction';

/** The validated settings of the server. */
export interface ServerConfig {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The number of processes that share the port. */
  readonly workers: number;
  readonly database: DatabaseConfig;
  /** The configured secret. If undefined (only with SQLite), a secret is generated and stored next to the database. */
  readonly secret: string | undefined;
  readonly admin: { readonly email: string; readonly password: string | undefined } | undefined;
  /**
   * The URL under which browsers reach the server, without a trailing slash. If undefined, it is determined
   * from each request.
   */
  readonly publicUrl: string | undefined;
  /**
   * The number of proxies in front of the server, or their addresses. `false` if clients connect directly.
   */
  readonly trustProxy: number | readonly string[] | false;
  /** The number of unauthenticated tracking requests per second and client. 0 means no limit. */
  readonly publicRateLimit: number;
  readonly logLevel: LogLevel;
  readonly geoip: GeoipSource;
  /** The bearer token for `/metrics`. If undefined, nobody can read `/metrics`. */
  readonly metricsToken: string | undefined;
  readonly trackerPaths: TrackerPaths;
  /** Whether the dashboard is served at `/app`. */
  readonly dashboard: boolean;
  readonly identityProvider: IdentityProviderConfig | undefined;
  /** Who may create workspaces. */
  readonly workspaceCreation: 'owner' | 'anyone';
  /** Hosts with private addresses to which webhooks may be sent. */
  readonly webhookAllowHosts: readonly string[];
  /** Undefined if the server sends no email. */
  readonly mail: { readonly server: SmtpServer; readonly from: MailSender } | undefined;
  /** Undefined if the program pages have no captcha. */
  readonly captcha: CaptchaOptions | undefined;
  /** The payment services whose APIs send payouts. */
  readonly payouts: PayoutSettings;
  /** The scope in which the transaction ids of sales must be unique. */
  readonly transactionIds: TransactionIds;
}

export type TransactionIds = 'service' | 'workspace';

/** An external identity provider, whose tokens are accepted as sessions. */
interface IdentityProviderConfig {
  readonly jwksUrl: string;
  readonly issuer: string;
  readonly audience: string;
}

export type GeoipSource =
  | { readonly kind: 'geoip-lite' }
  | { readonly kind: 'off' }
  | { readonly kind: 'mmdb'; readonly path: string };

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MIN_PASSWORD_LENGTH = 8;
/** Each worker opens a dozen connections to Postgres, so more workers could exceed its `max_connections`. */
const MAX_WORKERS = 64;

const integerSetting = (min: number, max: number) => {
  const error = `must be an integer between ${min} and ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
};

type DatabaseUrl =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

const databaseUrl = z.string().transform((url, context): DatabaseUrl => {
  if (isPostgresUrl(url)) return { kind: 'postgres', connectionString: url };
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (path !== '') return { kind: 'sqlite', path };
  context.addIssue(
    'must be sqlite:PATH, sqlite::memory: or postgres://user:password@host:port/database, with special characters ' +
      'of the password, such as @ and #, percent-encoded',
  );
  return z.NEVER;
});

const readUrl = z.string().refine(isPostgresUrl, 'must be postgres://user:password@host:port/database');

function isPostgresUrl(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url) && parsePostgresUrl(url) !== null;
}

const publicUrl = z
  .string()
  .refine(
    isPublicUrl,
    'must be an http or https URL without a user, query or fragment, such as https://affiliates.your-shop.example',
  )
  .transform((url) => url.replace(/\/$/, ''));

const geoip = z.string().transform((text, context): GeoipSource => {
  if (text === 'geoip-lite' || text === 'off') return { kind: text };
  if (text.endsWith('.mmdb')) return { kind: 'mmdb', path: text };
  context.addIssue('must be geoip-lite, off or the path of an .mmdb file');
  return z.NEVER;
});

export const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: integerSetting(0, 65_535).default(8787),
  WEB_CONCURRENCY: integerSetting(1, MAX_WORKERS).default(1),
  DATABASE_URL: databaseUrl.default({ kind: 'sqlite', path: './data/affkit.db' }),
  DATABASE_POOLER: z.enum(['session', 'transaction'], 'must be session or transaction').default('session'),
  DATABASE_READ_URL: readUrl.optional(),
  AFFKIT_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters`)
    .optional(),
  ADMIN_EMAIL: z.email('must be an email address').max(255, 'must have at most 255 characters').optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
    .max(1024, 'must have at most 1024 characters')
    .optional(),
  TRUST_PROXY: trustProxy.default(false),
  PUBLIC_URL: publicUrl.optional(),
  PUBLIC_RATE_LIMIT: integerSetting(0, 1_000_000).default(100),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  GEOIP: geoip.default({ kind: 'geoip-lite' }),
  METRICS_TOKEN: z.string().optional(),
  TRACKER_SCRIPT_PATH: z
    .string()
    .regex(/^(?:\/[\w-][\w.-]*)+\.js$/, 'must be a path that ends in .js, such as /assets/shop.js')
    .optional(),
  TRACKING_PATH: z
    .string()
    .regex(/^(?:\/[\w-]+)+$/, 'must be a path without a trailing slash, such as /assets/shop')
    .optional(),
  DASHBOARD: z.enum(['on', 'off'], 'must be on or off').default('on'),
  JWT_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: mailFrom.optional(),
  ...captchaVariables,
  ...payoutVariables,
  WEBHOOK_ALLOW_HOSTS: webhookAllowHosts.default([]),
  WORKSPACE_CREATION: z.enum(['owner', 'anyone'], 'must be owner or anyone').default('owner'),
  TRANSACTION_IDS: z.enum(['service', 'workspace'], 'must be service or workspace').default('service'),
});

/** Variables whose values must not appear in error messages. */
const SECRET_SETTINGS: readonly string[] = [
  'DATABASE_URL',
  'DATABASE_READ_URL',
  'AFFKIT_SECRET',
  'ADMIN_PASSWORD',
  'METRICS_TOKEN',
  'SMTP_URL',
  'CAPTCHA_SECRET_KEY',
  'PAYPAL_CLIENT_ID',
  'PAYPAL_SECRET',
  'STRIPE_PAYOUT_KEY',
  'STRIPE_PAYOUT_WEBHOOK_SECRET',
] satisfies (keyof typeof environment.shape)[];

/**
 * Variables that keep spaces and line breaks at the ends of their values. All other values are trimmed, because an
 * environment file or a mounted secret often adds a line break. If a line break followed the path of a database, for
 * example, better-sqlite3 would ignore it, but the path of the secret's file would contain it.
 */
const EXACT_SETTINGS: readonly string[] = [
  'AFFKIT_SECRET',
  'ADMIN_PASSWORD',
] satisfies (keyof typeof environment.shape)[];

/**
 * Reads the settings of the primary database, for commands that never use the read replica.
 * @throws ConfigError
 */
export function readDatabaseConfig(env: Readonly<Record<string, string | undefined>>): DatabaseConfig {
  const names = { DATABASE_URL: true, DATABASE_POOLER: true, DATABASE_READ_URL: true } as const;
  const database = databaseOf(parseSettings(environment.pick(names), env));
  return database.kind === 'sqlite' ? database : { ...database, readConnectionString: undefined };
}

function databaseOf(
  settings: Pick<z.output<typeof environment>, 'DATABASE_URL' | 'DATABASE_POOLER' | 'DATABASE_READ_URL'>,
): DatabaseConfig {
  const {
    DATABASE_URL: database,
    DATABASE_POOLER: pooler,
    DATABASE_READ_URL: readConnectionString,
  } = settings;
  if (database.kind === 'postgres') return { ...database, pooler, readConnectionString };
  if (readConnectionString !== undefined) {
    throw new ConfigError('DATABASE_READ_URL', 'requires a Postgres database in DATABASE_URL.');
  }
  return database;
}

/**
 * Reads the URL under which browsers reach the server, for commands that print links.
 * @throws ConfigError
 */
export function readPublicUrl(env: Readonly<Record<string, string | undefined>>): string {
  const names = { PUBLIC_URL: true, HOST: true, PORT: true } as const;
  const { PUBLIC_URL: url, PORT: port } = parseSettings(environment.pick(names), env);
  return url ?? `http://localhost:${port}`;
}

/**
 * Reads the settings from the environment. An empty variable counts as absent. Spaces at the ends of a value are
 * ignored, except in `AFFKIT_SECRET` and `ADMIN_PASSWORD`.
 * @throws ConfigError for the first invalid setting
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ServerConfig {
  const settings = parseSettings(environment, env);
  if (settings.DATABASE_URL.kind === 'postgres' && settings.AFFKIT_SECRET === undefined) {
    throw new ConfigError(
      'AFFKIT_SECRET',
      `is required with Postgres. Set at least ${MIN_SECRET_LENGTH} random characters and keep them.`,
    );
  }
  if (
    settings.WEB_CONCURRENCY > 1 &&
    settings.DATABASE_URL.kind === 'sqlite' &&
    settings.DATABASE_URL.path === ':memory:'
  ) {
    throw new ConfigError(
      'WEB_CONCURRENCY',
      'must be 1 with an in-memory database, because each worker would have its own.',
    );
  }
  if (settings.ADMIN_PASSWORD !== undefined && settings.ADMIN_EMAIL === undefined) {
    throw new ConfigError('ADMIN_EMAIL', 'is required together with ADMIN_PASSWORD.');
  }
  return {
    host: settings.HOST,
    port: settings.PORT,
    workers: settings.WEB_CONCURRENCY,
    database: databaseOf(settings),
    secret: settings.AFFKIT_SECRET,
    admin:
      settings.ADMIN_EMAIL === undefined
        ? undefined
        : { email: settings.ADMIN_EMAIL, password: settings.ADMIN_PASSWORD },
    trustProxy: settings.TRUST_PROXY,
    publicUrl: settings.PUBLIC_URL,
    publicRateLimit: settings.PUBLIC_RATE_LIMIT,
    logLevel: settings.LOG_LEVEL,
    geoip: settings.GEOIP,
    metricsToken: settings.METRICS_TOKEN,
    trackerPaths: { script: settings.TRACKER_SCRIPT_PATH, endpoints: settings.TRACKING_PATH },
    dashboard: settings.DASHBOARD === 'on',
    identityProvider: readIdentityProvider(settings),
    mail: readMail(settings),
    captcha: readCaptchaSettings(settings),
    payouts: readPayoutSettings(settings),
    workspaceCreation: settings.WORKSPACE_CREATION,
    webhookAllowHosts: settings.WEBHOOK_ALLOW_HOSTS,
    transactionIds: settings.TRANSACTION_IDS,
  };
}

/**
 * Lists every invalid setting, while `readConfig` throws only the first one. If each setting is valid, the combinations
 * of settings are checked, and at most one problem is returned.
 */
export function listSettingProblems(env: Readonly<Record<string, string | undefined>>): ConfigError[] {
  const { problems } = checkSettings(environment, env);
  if (problems.length > 0) return problems;
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [error];
    throw error;
  }
}

function parseSettings<T extends z.ZodObject>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  const { problems, settings } = checkSettings(schema, env);
  if (settings) return settings;
  throw problems[0] ?? new ConfigError('environment', 'is invalid.');
}

/** Returns either the settings or their problems. */
function checkSettings<T extends z.ZodObject>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
): { readonly problems: ConfigError[]; readonly settings?: z.output<T> } {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([name, value = '']) => {
      const text = EXACT_SETTINGS.includes(name) ? value : value.trim();
      return text.trim() === '' ? [] : [[name, text]];
    }),
  );
  const misspelled = findMisspelledVariables(given, Object.keys(schema.shape)).map(
    ({ variable, setting }) =>
      new ConfigError(
        variable,
        `is not a setting. Did you mean ${setting}? Rename it, or set ${setting} too.`,
      ),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) {
    return misspelled.length > 0 ? { problems: misspelled } : { problems: [], settings: parsed.data };
  }
  const invalid = parsed.error.issues.map(({ path, message }) => {
    const variable = String(path[0] ?? 'environment');
    // JSON escapes line breaks, so the message is always a single line.
    // In a URL, everything from `//` to the last `@` may belong to a password.
    const text = JSON.stringify(given[variable])?.replace(/^([^/]*\/\/).*@/, '$1***@');
    const value = SECRET_SETTINGS.includes(variable) ? '' : `, got ${text}`;
    return new ConfigError(variable, `${message}${value}.`);
  });
  return { problems: [...misspelled, ...invalid] };
}

function readMail(settings: z.output<typeof environment>): ServerConfig['mail'] {
  const { SMTP_URL: server, MAIL_FROM: from, PUBLIC_URL: url, DASHBOARD: dashboard } = settings;
  if (server === undefined && from === undefined) return undefined;
  if (server === undefined) throw new ConfigError('SMTP_URL', 'is required together with MAIL_FROM.');
  if (from === undefined) throw new ConfigError('MAIL_FROM', 'is required together with SMTP_URL.');
  if (url === undefined) {
    throw new ConfigError(
      'PUBLIC_URL',
      'is required together with SMTP_URL, because emails contain links to this URL.',
    );
  }
  if (dashboard === 'off') {
    throw new ConfigError(
      'DASHBOARD',
      'must be on if SMTP_URL is set, because emails contain links to the dashboard.',
    );
  }
  return { server, from };
}

const JWT_VARIABLES = ['JWT_JWKS_URL', 'JWT_ISSUER', 'JWT_AUDIENCE'] as const;

function readIdentityProvider(settings: z.output<typeof environment>): IdentityProviderConfig | undefined {
  const { JWT_JWKS_URL: jwksUrl, JWT_ISSUER: issuer, JWT_AUDIENCE: audience } = settings;
  if (jwksUrl !== undefined && issuer !== undefined && audience !== undefined) {
    return { jwksUrl, issuer, audience };
  }
  const set = JWT_VARIABLES.filter((name) => settings[name] !== undefined);
  const missing = JWT_VARIABLES.find((name) => settings[name] === undefined);
  if (set.length === 0 || missing === undefined) return undefined;
  throw new ConfigError(missing, `is required together with ${set.join(' and ')}.`);
}
