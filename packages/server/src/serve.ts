import cluster from 'node:cluster';
import { constants } from 'node:os';
import { createSignInCode } from '@affkit/core';
import type { Logger } from 'pino';
import { readConfig, type ServerConfig } from './config.ts';
import { ConfigError } from './config-error.ts';
import { createLogger } from './create-logger.ts';
import { describeDatabase } from './database.ts';
import { startServer } from './start-server.ts';
import { VERSION } from './version.ts';
import { type Listening, reportListening } from './worker-messages.ts';
import { startWorkers } from './workers.ts';

/**
 * Two signals within this time come from a single key press. The terminal sends the first, and npm forwards
 * the second.
 */
const SAME_KEY_PRESS_MS = 100;

let runningServer: { stop(): Promise<void> } | undefined;
let shutdownSignalAt: number | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (runningServer && shutdownSignalAt === undefined) {
      shutdownSignalAt = performance.now();
      void stop(runningServer);
      return;
    }
    const isSameKeyPress =
      shutdownSignalAt !== undefined && performance.now() - shutdownSignalAt < SAME_KEY_PRESS_MS;
    // Ctrl-C in the terminal signals the primary process and all workers. A running worker ignores the second signal,
    // because the primary process also gets this signal, and all workers end when the primary process exits.
    const isHandledByPrimary = cluster.isWorker && runningServer !== undefined;
    if (!isSameKeyPress && !isHandledByPrimary) process.exit(128 + constants.signals[signal]);
  });
}

async function stop(server: { stop(): Promise<void> }): Promise<void> {
  await server.stop();
  process.exit(0);
}

try {
  const config = readConfig(process.env);
  const log = createLogger(config.logLevel);
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception, exiting');
    process.exit(1);
  });
  if (config.workers > 1 && cluster.isPrimary) {
    const workers = await startWorkers(config.workers, log);
    // The first worker could not start and has already printed the reason.
    if (!workers) process.exit(1);
    runningServer = workers;
    logListening(log, workers, config);
  } else {
    const server = await startServer(config, { logger: log });
    runningServer = server;
    if (server.firstOwner?.generatedPassword !== undefined) {
      const { email, generatedPassword } = server.firstOwner;
      const address = dashboardAddress(server.url, config);
      const open = address === undefined ? '' : `open ${address} and `;
      console.log(
        `First start: ${open}sign in as ${email} with the password ${generatedPassword} (shown only once)`,
      );
      const made = address === undefined ? null : await createSignInCode(server.affkit.runtime, email);
      if (made !== null) {
        console.log(
          `To sign in without the password, once and within ten minutes: ${address}/sign-in#${made.code}`,
        );
      }
    }
    if (cluster.isWorker) reportListening(server);
    else logListening(log, server, config);
  }
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}

/** The URL of the dashboard on this machine or behind the proxy; undefined if the dashboard is off. */
function dashboardAddress(url: string, { dashboard, publicUrl }: ServerConfig): string | undefined {
  if (!dashboard) return undefined;
  // 0.0.0.0 and [::] mean all addresses. A browser on this machine can use localhost.
  return `${publicUrl ?? url.replace(/\/\/(?:0\.0\.0\.0|\[::\])/, '//localhost')}/app`;
}

function logListening(log: Logger, { port, url, tracker, linker }: Listening, config: ServerConfig): void {
  const database = describeDatabase(config.database);
  // Supervisors and tests wait for this line, so it is logged at every LOG_LEVEL.
  const line = { version: VERSION, url, port, database, tracker, linker };
  log.child({}, { level: 'info' }).info(line, 'listening');
}
