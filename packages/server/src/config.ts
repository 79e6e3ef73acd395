import { isIP } from 'node:net';
import { MIN_SECRET_LENGTH } from '@affkit/core';
import { z } from 'zod';
import type { TrackerPaths } from './tracker-script.ts';

/** Where the data is. `path` may be `:memory:`. */
export type DatabaseConfig =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly connectionString: string };

/** The server's settings, all checked. */
export interface ServerConfig {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Processes that share the port. */
  readonly workers: number;
  readonly database: DatabaseConfig;
  /** Absent only with SQLite: then it is kept in a file beside the database. */
  readonly secret: string | undefined;
  readonly admin: { readonly email: string; readonly password: string | undefined } | undefined;
  /** Number of proxies in front, or their addresses; `false` where the peer is the client. */
  readonly trustProxy: number | readonly string[] | false;
  /** Unauthenticated tracking requests per second and client; 0 is no limit. */
  readonly publicRateLimit: number;
  readonly logLevel: LogLevel;
  readonly geoip: GeoipSource;
  readonly metricsToken: string | undefined;
  readonly trackerPaths: TrackerPaths;
  readonly identityProvider: IdentityProviderConfig | undefined;
}

/** The self-hoster's own identity provider, whose tokens are sessions too. */
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

/** A setting that the server can't start with. Its message is one line that begins with the variable's name. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`);
  }
}

const MIN_PASSWORD_LENGTH = 8;
/** Each has a dozen connections to Postgres. */
const MAX_WORKERS = 64;

const wholeNumber = (min: number, max: number) => {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .refine((value) => value >= min && value <= max, error);
};

const databaseUrl = z.string().transform((url, context): DatabaseConfig => {
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url))
    return { kind: 'postgres', connectionString: url };
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : '';
  if (path !== '') return { kind: 'sqlite', path };
  context.addIssue(
    'must be sqlite:PATH, sqlite::memory: or postgres://user:password@host:port/database, where characters such as @ ' +
      'and # in the password must be percent-encoded',
  );
  return z.NEVER;
});

const trustProxy = z.string().transform((text, context): ServerConfig['trustProxy'] => {
  if (['0', 'off', 'false'].includes(text)) return false;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = text.split(',').map((range) => range.trim());
  if (ranges.every(isAddressRange)) return ranges;
  context.addIssue(
    'must be the number of proxies in front of the server or a list of their addresses (10.0.0.0/8, …): ' +
      'anyone could name any address if every peer were trusted',
  );
  return z.NEVER;
});

const geoip = z.string().transform((text, context): GeoipSource => {
  if (text === 'geoip-lite' || text === 'off') return { kind: text };
  if (text.endsWith('.mmdb')) return { kind: 'mmdb', path: text };
  context.addIssue('must be geoip-lite, off or the path of an .mmdb file');
  return z.NEVER;
});

export const environment = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber(0, 65_535).default(8787),
  WEB_CONCURRENCY: wholeNumber(1, MAX_WORKERS).default(1),
  DATABASE_URL: databaseUrl.default({ kind: 'sqlite', path: './data/affkit.db' }),
  AFFKIT_SECRET: z
    .string()
    .min(MIN_SECRET_LENGTH, `must have at least ${MIN_SECRET_LENGTH} characters`)
    .optional(),
  ADMIN_EMAIL: z.email('must be an e-mail address').optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(MIN_PASSWORD_LENGTH, `must have at least ${MIN_PASSWORD_LENGTH} characters`)
    .max(1024, 'must have at most 1024 characters')
    .optional(),
  TRUST_PROXY: trustProxy.default(false),
  PUBLIC_RATE_LIMIT: wholeNumber(0, 1_000_000).default(100),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  GEOIP: geoip.default({ kind: 'geoip-lite' }),
  METRICS_TOKEN: z.string().optional(),
  TRACKER_SCRIPT_PATH: z
    .string()
    .regex(/^(?:\/[\w-][\w.-]*)+\.js$/, 'must be a path that ends in .js, such as /assets/shop.js')
    .optional(),
  TRACKING_PATH: z
    .string()
    .regex(/^(?:\/[\w-]+)+$/, 'must be a path without a slash at its end, such as /assets/shop')
    .optional(),
  JWT_JWKS_URL: z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).optional(),
  JWT_ISSUER: z.string().optional(),
  JWT_AUDIENCE: z.string().optional(),
});

/**
 * Reads only where the data is, for commands that need nothing else.
 * @throws ConfigError
 */
export function readDatabaseConfig(env: Readonly<Record<string, string | undefined>>): DatabaseConfig {
  return parseSettings(environment.pick({ DATABASE_URL: true }), env).DATABASE_URL;
}

/**
 * Reads the settings. An empty variable counts as absent.
 * @throws ConfigError for the first setting that is wrong
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ServerConfig {
  const settings = parseSettings(environment, env);
  if (settings.DATABASE_URL.kind === 'postgres' && settings.AFFKIT_SECRET === undefined) {
    throw new ConfigError(
      'AFFKIT_SECRET',
      `is required with Postgres: at least ${MIN_SECRET_LENGTH} characters, kept for good`,
    );
  }
  if (
    settings.WEB_CONCURRENCY > 1 &&
    settings.DATABASE_URL.kind === 'sqlite' &&
    settings.DATABASE_URL.path === ':memory:'
  ) {
    throw new ConfigError(
      'WEB_CONCURRENCY',
      'must be 1 where the database is in memory: each would have its own',
    );
  }
  if (settings.ADMIN_PASSWORD !== undefined && settings.ADMIN_EMAIL === undefined) {
    throw new ConfigError('ADMIN_EMAIL', 'is required where ADMIN_PASSWORD is set');
  }
  return {
    host: settings.HOST,
    port: settings.PORT,
    workers: settings.WEB_CONCURRENCY,
    database: settings.DATABASE_URL,
    secret: settings.AFFKIT_SECRET,
    admin:
      settings.ADMIN_EMAIL === undefined
        ? undefined
        : { email: settings.ADMIN_EMAIL, password: settings.ADMIN_PASSWORD },
    trustProxy: settings.TRUST_PROXY,
    publicRateLimit: settings.PUBLIC_RATE_LIMIT,
    logLevel: settings.LOG_LEVEL,
    geoip: settings.GEOIP,
    metricsToken: settings.METRICS_TOKEN,
    trackerPaths: { script: settings.TRACKER_SCRIPT_PATH, endpoints: settings.TRACKING_PATH },
    identityProvider: readIdentityProvider(settings),
  };
}

function parseSettings<T extends z.ZodType>(
  schema: T,
  env: Readonly<Record<string, string | undefined>>,
): z.output<T> {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim() !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(String(issue?.path[0] ?? 'environment'), issue?.message ?? 'is invalid');
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
  throw new ConfigError(missing, `is required where ${set.join(' and ')} is set`);
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const bits = /^\d{1,3}$/.test(prefix) ? Number(prefix) : 0;
  return bits >= 1 && bits <= (family === 4 ? 32 : 128);
}
