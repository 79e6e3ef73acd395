import { existsSync } from 'node:fs';
import { type Engine, findProgramsOfPage, findWebhookConnections, findWebhookEndpoints } from '@affkit/core';
import { type DatabaseConfig, readConfig, readDatabaseConfig, readPublicUrl } from '../config.ts';
import { ConfigError } from '../config-error.ts';
import { openEngine, throwDatabaseError } from '../database.ts';
import { prepareTracker, readTracker } from '../tracker-script.ts';
import type { CommandResult } from './command-result.ts';
import { countOf } from './count-of.ts';
import { checkDatabase } from './doctor/check-database.ts';
import { checkPage } from './doctor/check-page.ts';
import { checkServer } from './doctor/check-server.ts';
import { checkSettings } from './doctor/check-settings.ts';
import { checkWebhookEndpoints } from './doctor/check-webhook-endpoints.ts';
import { checkWebhooks } from './doctor/check-webhooks.ts';
import { type Finding, problem } from './doctor/finding.ts';
import type { Terminal } from './terminal.ts';

/**
 * Checks the settings, the database, the server as browsers reach it, and a page of a shop. It changes nothing.
 * The exit code is 1 if there is a problem.
 * @param pageUrl a page of a shop to check, or null
 */
export async function runDoctor(pageUrl: string | null, env: Terminal['env']): Promise<CommandResult> {
  const settings = checkSettings(env);
  const database = await openDatabase(env);
  let findings = [...settings, ...database.findings];
  try {
    // With invalid settings, the server does not start, so it cannot be checked.
    if (!settings.some(({ level }) => level === 'problem')) {
      // The tables of another version may lack columns that the checks below read.
      const isMigrated = hasPassed(database.findings, 'database.migrations');
      const context = { engine: isMigrated ? database.engine : null, pageUrl };
      findings = [...findings, ...(await checkPublicServer(env, context))];
    }
  } finally {
    await database.engine?.close();
  }
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const problems = count('problem');
  return {
    exitCode: problems === 0 ? 0 : 1,
    data: { healthy: problems === 0, findings },
    lines: [
      ...findings.flatMap(describeFinding),
      `${countOf(problems, 'problem')}, ${countOf(count('warning'), 'warning')}, ${count('ok')} ok`,
    ],
  };
}

function hasPassed(findings: readonly Finding[], check: string): boolean {
  return findings.some((finding) => finding.check === check && finding.level === 'ok');
}

function describeFinding({ check, level, message, advice }: Finding): string[] {
  const line = `${level.padEnd(8)}${check}: ${message}`;
  return advice === null ? [line] : [line, `${' '.repeat(8)}→ ${advice}`];
}

/** Opens and checks the database. If it cannot be used, the engine is null, and a finding says why. */
async function openDatabase(
  env: Terminal['env'],
): Promise<{ readonly engine: Engine | null; readonly findings: readonly Finding[] }> {
  let database: DatabaseConfig;
  try {
    database = readDatabaseConfig(env);
  } catch (error) {
    // `checkSettings` has already reported this error.
    if (error instanceof ConfigError) return { engine: null, findings: [] };
    throw error;
  }
  // Without this check, the engine would create a missing file.
  if (database.kind === 'sqlite' && database.path !== ':memory:' && !existsSync(database.path)) {
    const missing = problem(
      'database',
      `DATABASE_URL names a SQLite file that does not exist: ${database.path}`,
      'Start the server once, or run this command in the folder of the server.',
    );
    return { engine: null, findings: [missing] };
  }
  let engine: Engine | null = null;
  try {
    engine = await openEngine(database);
    return { engine, findings: await checkDatabase(engine, database).catch(throwDatabaseError) };
  } catch (error) {
    await engine?.close();
    if (!(error instanceof ConfigError)) throw error;
    const advice = 'Check that the database runs, and that DATABASE_URL is correct.';
    return { engine: null, findings: [problem('database', error.message, advice)] };
  }
}

async function checkPublicServer(
  env: Terminal['env'],
  { engine, pageUrl }: { readonly engine: Engine | null; readonly pageUrl: string | null },
): Promise<Finding[]> {
  const config = readConfig(env);
  const publicUrl = readPublicUrl(env);
  const tracker = prepareTracker(readTracker(), config.trackerPaths);
  const scriptPath = config.trackerPaths.script ?? '/js/affkit.js';
  const { metricsToken } = config;
  const pageOrigin = pageUrl === null ? 'https://your-shop.example' : new URL(pageUrl).origin;
  const server = await checkServer({ publicUrl, metricsToken, tracker, scriptPath, pageOrigin });
  return [
    ...server,
    ...(engine && hasPassed(server, 'server.reachable')
      ? [
          ...(await checkWebhooks(publicUrl, await findWebhookConnections({ engine }))),
          ...(await checkWebhookEndpoints(await findWebhookEndpoints({ engine }), config.webhookAllowHosts)),
        ]
      : []),
    ...(pageUrl === null
      ? []
      : await checkPage({
          pageUrl,
          publicUrl,
          tracker,
          scriptPath,
          programs: engine && (await findProgramsOfPage({ engine }, pageOrigin)),
        })),
  ];
}
