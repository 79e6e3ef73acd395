#!/usr/bin/env node
import { constants } from 'node:os';
import { pino } from 'pino';
import { ConfigError, readConfig } from './config.ts';
import { type RunningServer, startServer } from './start-server.ts';

/** Within this time a second signal is the same key press: npm passes on what the terminal has sent already. */
const SAME_PRESS_MS = 100;

let running: RunningServer | undefined;
let signalledAt: number | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    const isFirst = signalledAt === undefined;
    if (!isFirst && performance.now() - (signalledAt ?? 0) < SAME_PRESS_MS) return;
    signalledAt ??= performance.now();
    if (isFirst && running) void stop(running);
    else process.exit(128 + constants.signals[signal]);
  });
}

async function stop(server: RunningServer): Promise<void> {
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
  running = await startServer(config, { logger: log });
  if (running.firstOwner?.generatedPassword !== undefined) {
    const { email, generatedPassword } = running.firstOwner;
    console.log(
      `First start: sign in as ${email} with the password ${generatedPassword} (shown only this once)`,
    );
  }
  // Whoever waits for this line needs it at every level.
  const { port, url, tracker } = running;
  log.child({}, { level: 'info' }).info({ port, url, tracker }, 'listening');
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
