#!/usr/bin/env node
import cluster from 'node:cluster';
import { constants } from 'node:os';
import { type Logger, pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { startServer } from './start-server.ts';
import { type Listening, reportListening } from './worker-messages.ts';
import { startWorkers } from './workers.ts';

/** Within this time a second signal is the same key press: npm passes on what the terminal has sent already. */
const SAME_PRESS_MS = 100;

const USAGE =
  'affkit-server takes no arguments: it is set up by environment variables, see docs/guides/operating.md';
const [firstArgument] = process.argv.slice(2);
if (firstArgument !== undefined) {
  const isHelp = firstArgument === '--help' || firstArgument === '-h';
  (isHelp ? console.log : console.error)(USAGE);
  process.exit(isHelp ? 0 : 1);
}

let running: { stop(): Promise<void> } | undefined;
let signalledAt: number | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (running && signalledAt === undefined) {
      signalledAt = performance.now();
      void stop(running);
      return;
    }
    const isSamePress = signalledAt !== undefined && performance.now() - signalledAt < SAME_PRESS_MS;
    // The terminal, and what else signals a whole group, reaches workers beside the process that stops them.
    const isForParent = cluster.isWorker && running !== undefined;
    if (!isSamePress && !isForParent) process.exit(128 + constants.signals[signal]);
  });
}

async function stop(server: { stop(): Promise<void> }): Promise<void> {
  await server.stop();
  process.exit(0);
}

try {
  const config = readConfig(process.env);
  const log = pino({ level: config.logLevel });
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the server ends by an error that nothing foresaw');
    process.exit(1);
  });
  if (config.workers > 1 && cluster.isPrimary) {
    const workers = await startWorkers(config.workers, log);
    // The first worker has said why.
    if (!workers) process.exit(1);
    running = workers;
    tellListening(log, workers);
  } else {
    const server = await startServer(config, { logger: log });
    running = server;
    if (server.firstOwner?.generatedPassword !== undefined) {
      const { email, generatedPassword } = server.firstOwner;
      console.log(
        `First start: sign in as ${email} with the password ${generatedPassword} (shown only this once)`,
      );
    }
    if (cluster.isWorker) reportListening(server);
    else tellListening(log, server);
  }
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}

function tellListening(log: Logger, { port, url, tracker }: Listening): void {
  // Whoever waits for this line needs it at every level.
  log.child({}, { level: 'info' }).info({ port, url, tracker }, 'listening');
}
