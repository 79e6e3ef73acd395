import type { TestProject } from 'vitest/node';
import { startCitus, usesCitus } from './citus-server.ts';
import { createTemplate, startPostgres } from './postgres-server.ts';
import { createMemoryFolder } from './temp-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server that all tests of a run share. Each test must create its own database there. */
    postgresUrl: string;
    /** URL of the same server through a Unix socket, which takes a tenth less CPU time than TCP. */
    postgresSocketUrl: string;
    /** Folder for the files of SQLite databases. It is deleted after the run. */
    databaseFolder: string;
  }
}

/** The number of workers of the cluster that all tests share. */
const WORKERS = 3;

interface SharedServer {
  readonly url: string;
  readonly socketUrl: string;
  stop(): Promise<void>;
}

async function startSharedServer(): Promise<SharedServer> {
  const server = await startPostgres({ skipFsync: true });
  return { url: server.url(), socketUrl: server.socketUrl(), stop: () => server.stop() };
}

async function startSharedCluster(): Promise<SharedServer> {
  const { url, stop } = await startCitus({ workers: WORKERS, skipFsync: true });
  return { url, socketUrl: url, stop: async () => stop() };
}

/**
 * Starts one Postgres server or Citus cluster for the test run, and creates a folder for SQLite databases. This
 * happens when the first Vitest project that needs them starts. The server runs until the end of the test run. Tests
 * that kill or restart a server start their own.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const provided: { postgresUrl?: string } = project.getProvidedContext();
  if (provided.postgresUrl !== undefined) return undefined;
  const server = await (usesCitus ? startSharedCluster() : startSharedServer());
  await createTemplate(server.url);
  project.vitest.provide('postgresUrl', server.url);
  project.vitest.provide('postgresSocketUrl', server.socketUrl);
  const folder = createMemoryFolder('affkit-databases-');
  project.vitest.provide('databaseFolder', folder.path);
  return async () => {
    await server.stop();
    await folder.delete();
  };
}
