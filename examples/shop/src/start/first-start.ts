import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningServer } from '@affkit/server';
import type { Owner } from './api.ts';
import { defaultDatabaseUrl, normalizeDatabaseUrl } from './database-name.ts';
import type { SeededDemo } from './demo-state.ts';
import { HistoryClock, planHistory, recordHistory } from './history/record.ts';
import { StartError } from './ports.ts';
import { seedDemo } from './seed.ts';

/** The dependencies of the first start, which creates a demo with a history. */
export interface FirstStart {
  readonly databaseUrl: string;
  readonly owner: Owner;
  readonly shopUrl: string;
  /** Called with the server that records the history, so that the server can be stopped early. */
  readonly onServer: (server: RunningServer) => void;
  /** Called before anything is recorded, so that the next start can detect an interrupted recording. */
  readonly onRecording: () => void;
}

/**
 * Creates the program of the demo and records its history. The server runs in this process, with a clock that moves
 * through the past.
 * @returns the demo. If the database already has users, records nothing and returns null
 * @throws StartError if a setting is not valid
 */
export async function createDemoWithHistory(first: FirstStart): Promise<SeededDemo | null> {
  // Imported here, because only the first start needs the server's code in this process.
  const { ConfigError, readConfig, startServer } = await import('@affkit/server');
  const plan = planHistory(Date.now(), first.shopUrl);
  const clock = new HistoryClock(plan.start);
  const settings = {
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: first.databaseUrl,
    ADMIN_EMAIL: first.owner.email,
    ADMIN_PASSWORD: first.owner.password,
    PUBLIC_RATE_LIMIT: '0',
    WEB_CONCURRENCY: '1',
    LOG_LEVEL: 'error',
  };
  try {
    const server = await startServer(readConfig(settings), { now: clock.now });
    first.onServer(server);
    if (server.firstOwner === null) {
      await server.stop();
      return null;
    }
    first.onRecording();
    const demo = await clock.at(plan.start, () => seedDemo(server.url, first.owner, first.shopUrl));
    await recordHistory(server, clock, { plan, owner: first.owner, demo });
    await server.stop();
    return demo;
  } catch (error) {
    throw error instanceof ConfigError ? new StartError(error.message) : error;
  }
}

/**
 * Deletes the demo's own SQLite database after the recording of a history was interrupted, so that the recording can
 * start over. Any other database is kept: the demo then continues without the rest of its history.
 * @param database normalized name of the database
 */
export function deleteInterruptedRecording(folder: string, database: string | undefined): void {
  if (database !== normalizeDatabaseUrl(defaultDatabaseUrl(folder), folder)) return;
  for (const file of readdirSync(folder)) {
    if (file.startsWith('affkit.db')) rmSync(join(folder, file));
  }
}
