import type { TestProject } from 'vitest/node';
import { createTemplate, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the server that all tests of a run share: make a database of your own there. */
    postgresUrl: string;
  }
}

/**
 * Starts one Postgres server for the whole run, for whichever project needs it first. It never dies before the run is
 * over: what a disk keeps is tested on servers of the tests' own.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const provided: { postgresUrl?: string } = project.getProvidedContext();
  if (provided.postgresUrl !== undefined) return undefined;
  const server = await startPostgres({ forgets: true });
  await createTemplate(server.url());
  project.vitest.provide('postgresUrl', server.url());
  return () => server.stop();
}
