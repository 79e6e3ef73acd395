import type { AddressInfo } from 'node:net';
import { type Affkit, createAffkit, type FirstOwner } from '@affkit/core';
import { type Logger, pino } from 'pino';
import { createAdmission } from './admission.ts';
import { createApp } from './app.ts';
import type { ServerConfig } from './config.ts';
import { openEngine, refuseDatabase } from './database.ts';
import { createLocator } from './geo.ts';
import { createHttpServer, drain, listen } from './http-server.ts';
import { resolveSecret } from './secret.ts';
import { SERVER_ROUTES } from './server-routes.ts';
import { prepareTracker, readTrackerScript } from './tracker-script.ts';

/** E-mail of the first owner where none is named. */
const DEFAULT_ADMIN_EMAIL = 'admin@localhost';

const READY_TIMEOUT_MS = 2_000;

/** What a caller may put in place of the server's own. */
export interface ServerParts {
  /** @default JSON lines on stdout */
  readonly logger?: Logger;
  /** The tracker as it was built. @default that of `@affkit/tracker` */
  readonly trackerScript?: string;
}

export interface RunningServer {
  readonly port: number;
  readonly url: string;
  readonly affkit: Affkit;
  /** The tracker's address that never changes its content, and the `integrity` for its tag. */
  readonly tracker: { readonly path: string; readonly integrity: string };
  /** The owner that this start has made; null when there were users already. */
  readonly firstOwner: FirstOwner | null;
  /** Takes no new requests, answers those under way, closes the database. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Migrates the database and listens.
 * @throws ConfigError when a setting turns out to be unusable: the port is taken, the database can't be reached
 */
export async function startServer(config: ServerConfig, parts: ServerParts = {}): Promise<RunningServer> {
  const log = parts.logger ?? pino({ level: config.logLevel });
  const tracker = prepareTracker(parts.trackerScript ?? readTrackerScript(), config.trackerPaths);
  const secret = resolveSecret(config.secret, config.database);
  const locator = await createLocator(config.geoip);
  const affkit = createAffkit({
    engine: await openEngine(config.database),
    secret,
    locate: locator.locate,
    logger: log,
    ...(config.identityProvider && { identityProvider: config.identityProvider }),
    admit: createAdmission(config, (message) => log.warn(message)),
    otherRoutes: SERVER_ROUTES,
  });
  let isStarted = false;
  let isStopping = false;
  const isReady = async () =>
    isStarted && !isStopping && affkit.runtime.engine.canWrite() && (await canRead(affkit));
  const server = createHttpServer(createApp({ affkit, config, log, tracker, isReady }), { log });

  let stopped: Promise<void> | undefined;
  const stop = async () => {
    isStopping = true;
    await drain(server);
    await affkit.close();
    locator.close();
  };
  try {
    await affkit.migrate().catch(refuseDatabase);
    await listen(server, config);
    // Not before the port is ours: the password can be shown only once.
    const firstOwner = await affkit.ensureFirstOwner({
      email: config.admin?.email ?? DEFAULT_ADMIN_EMAIL,
      password: config.admin?.password,
    });
    affkit.jobs.start();
    isStarted = true;
    const { address, family, port } = server.address() as AddressInfo;
    return {
      port,
      tracker: { path: tracker.versionedPath, integrity: tracker.integrity },
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

async function canRead(affkit: Affkit): Promise<boolean> {
  const { read } = affkit.runtime.engine;
  const query = read.selectFrom('programs').select('id').limit(1).execute();
  const tooLate = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('The database takes too long')), READY_TIMEOUT_MS).unref();
  });
  return Promise.race([query, tooLate]).then(
    () => true,
    () => false,
  );
}
