import type { AddressInfo } from 'node:net';
import {
  type Affkit,
  createAffkit,
  createGaugeReader,
  createPayPalProvider,
  createStripeProvider,
  type FirstOwner,
  type PayoutProvider,
  TransactionIdsMismatch,
} from '@affkit/core';
import { expressDashboard } from '@affkit/dashboard/express';
import type { Logger } from 'pino';
import { createApp } from './app.ts';
import type { ServerConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { createLogger } from './create-logger.ts';
import { openEngine, throwDatabaseError } from './database.ts';
import { createGeoLocator } from './geo.ts';
import { createHttpServer, drain, listen } from './http-server.ts';
import { createMetrics } from './metrics.ts';
import { startOpenTelemetry } from './open-telemetry.ts';
import { createRateLimit } from './rate-limit.ts';
import { openRateLimitStore } from './rate-limit-store.ts';
import { describeRoutes } from './route-descriptions.ts';
import { resolveSecret } from './secret.ts';
import { createSmtpMailer } from './smtp-mailer.ts';
import { prepareTracker, readTracker, type TrackerFiles, type VersionedFile } from './tracker-script.ts';

/** The email address of the first owner if `ADMIN_EMAIL` is not set. */
const DEFAULT_ADMIN_EMAIL = 'admin@localhost';

const READY_TIMEOUT_MS = 2_000;

/** Replacements for parts of the server, for tests. */
export interface ServerParts {
  /** @default JSON lines on stdout */
  readonly logger?: Logger;
  /** The built tracker. @default the files of `@affkit/tracker` */
  readonly trackerFiles?: TrackerFiles;
  /** The clock, in epoch milliseconds. @default Date.now */
  readonly now?: () => number;
}

export interface RunningServer {
  readonly port: number;
  readonly url: string;
  readonly affkit: Affkit;
  /** The path and `integrity` of the tracker, for its script tag. */
  readonly tracker: VersionedFile;
  /** The path and `integrity` of the linker, for its script tag. */
  readonly linker: VersionedFile;
  /** The owner that was created at this start, or `null` if a user already existed. */
  readonly firstOwner: FirstOwner | null;
  /** Stops listening, waits for pending requests, and closes the database. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Migrates the database, starts listening, and creates the first owner if there is no user.
 * @throws ConfigError when a setting cannot be used, for example if the port is in use or the database cannot
 * be reached
 */
export async function startServer(config: ServerConfig, parts: ServerParts = {}): Promise<RunningServer> {
  const log = parts.logger ?? createLogger(config.logLevel);
  const tracker = prepareTracker(parts.trackerFiles ?? readTracker(), config.trackerPaths);
  const secret = resolveSecret(config.secret, config.database);
  const locator = await createGeoLocator(config.geoip);
  const mailer = config.mail && createSmtpMailer(config.mail);
  const rateLimits =
    config.database.kind === 'postgres' && config.publicRateLimit > 0
      ? openRateLimitStore(config.database, secret)
      : undefined;
  const openTelemetry = await startOpenTelemetry();
  const engine = await openEngine(config.database);
  const replicaState = () => engine.replica?.state();
  const gauges = createGaugeReader({ engine, now: parts.now ?? Date.now });
  const metrics = createMetrics({ replicaState, gauges });
  const affkit = createAffkit({
    engine,
    telemetry: { measure: metrics.measure, ...(openTelemetry && { api: openTelemetry.api }) },
    secret,
    locate: locator.locate,
    logger: log,
    ...(parts.now && { now: parts.now }),
    ...(config.identityProvider && { identityProvider: config.identityProvider }),
    admit: createRateLimit(config, (message) => log.warn(message), rateLimits),
    otherRoutes: describeRoutes({ tracker, hasDashboard: config.dashboard }),
    ...(config.publicUrl !== undefined && { publicUrl: config.publicUrl }),
    ...(mailer && { mailer }),
    ...(config.captcha && { captcha: config.captcha }),
    payoutProviders: payoutProvidersOf(config.payouts),
    payoutWorkspaces: config.payouts.workspaces,
    webhookAllowHosts: config.webhookAllowHosts,
    workspaceCreation: config.workspaceCreation,
    transactionIds: config.transactionIds,
  });
  let isStarted = false;
  let isStopping = false;
  const isReady = async () =>
    isStarted && !isStopping && affkit.runtime.engine.canWrite() && (await canRead(affkit));
  const dashboard = config.dashboard ? expressDashboard() : undefined;
  const app = createApp({ affkit, config, log, tracker, dashboard, isReady, replicaState, metrics });
  const server = createHttpServer(app, { log });

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    isStopping = true;
    await drain(server);
    await affkit.jobs.stop();
    // OpenTelemetry reads the metrics once more before it stops. Some of them come from the database, which must
    // therefore still be open.
    await openTelemetry?.stop();
    await affkit.close();
    await rateLimits?.close();
    mailer?.close();
    locator.close();
  };
  try {
    await affkit.migrate().catch((error) => throwStartError(error, config));
    await listen(server, config);
    // Create the owner only after the server listens. If the owner were created earlier and the start then failed, the
    // password would be lost, because it is shown only once.
    const firstOwner = await affkit.ensureFirstOwner({
      email: config.admin?.email ?? DEFAULT_ADMIN_EMAIL,
      password: config.admin?.password,
    });
    affkit.jobs.start();
    isStarted = true;
    const { address, family, port } = server.address() as AddressInfo;
    return {
      port,
      tracker: tracker.script,
      linker: tracker.linker,
      url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
      affkit,
      firstOwner,
      stop: () => {
        if (!stopped) log.info('stopping');
        stopped ??= stop();
        return stopped;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function throwStartError(error: unknown, { transactionIds }: ServerConfig): never {
  if (!(error instanceof TransactionIdsMismatch)) throwDatabaseError(error);
  const { stored } = error;
  throw new ConfigError(
    'TRANSACTION_IDS',
    `is ${transactionIds}, but the database uses ${stored}. Set it to ${stored}, or stop every server that uses the ` +
      `database, run "affkit transaction-ids ${transactionIds}", and start again.`,
  );
}

async function canRead(affkit: Affkit): Promise<boolean> {
  const { read } = affkit.runtime.engine;
  const query = read.selectFrom('programs').select('id').limit(1).execute();
  const timeout = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('The database query timed out')), READY_TIMEOUT_MS).unref();
  });
  return Promise.race([query, timeout]).then(
    () => true,
    () => false,
  );
}

function payoutProvidersOf({ paypal, stripe }: ServerConfig['payouts']): PayoutProvider[] {
  return [
    ...(paypal ? [createPayPalProvider(paypal)] : []),
    ...(stripe ? [createStripeProvider(stripe)] : []),
  ];
}
