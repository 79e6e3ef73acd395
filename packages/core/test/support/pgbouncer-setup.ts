import type { TestProject } from 'vitest/node';
import { startPgBouncer } from './pgbouncer.ts';

/** Starts PgBouncer for one project, in front of the Postgres server of the test run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { postgresUrl } = project.vitest.getRootProject().getProvidedContext();
  const pooler = await startPgBouncer(project.config.env['PGBOUNCER_PATH'] ?? 'pgbouncer', postgresUrl);
  project.provide('poolerUrl', pooler.url());
  return () => pooler.stop();
}
