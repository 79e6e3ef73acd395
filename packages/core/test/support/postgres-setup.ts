import type { TestProject } from 'vitest/node';
import { createTemplate, startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server that all tests of a run share. Each test must create its own database there. */
    postgresUrl: string;
  }
}

/**
 * Starts one Postgres server for the test run, when the first project needs it. The server runs until the
 * end. Tests that kill or restart a server start their own.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const provided: { postgresUrl?: string } = project.getProvidedContext();
  if (provided.postgresUrl !== undefined) return undefined;
  const server = await startPostgres({ skipFsync: true });
  await createTemplate(server.url());
  project.vitest.provide('postgresUrl', server.url());
  return () => server.stop();
}
