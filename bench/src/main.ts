import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../packages/core/test/postgres-server.ts';
import { type Round, runRound } from './load.ts';
import { type Subject, startBaseline, startReference } from './subject.ts';
import { printTable } from './table.ts';

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const AMOUNT = Number(process.env['BENCH_CLICKS'] ?? 40_000);
const CONNECTIONS = Number(process.env['BENCH_CONNECTIONS'] ?? 64);

/**
 * Clicks per second of the reference server, as a ratio to an Express app that does nothing, in one run: the
 * subjects take turns, so that a change of the machine's speed meets all of them.
 */
const folder = mkdtempSync(join(tmpdir(), 'affkit-bench-'));
const postgres = await startPostgres();
const subjects: Subject[] = [];
try {
  subjects.push(await startBaseline());
  subjects.push(await startReference('Affkit on SQLite', `sqlite:${join(folder, 'bench.db')}`));
  subjects.push(await startReference('Affkit on Postgres', await postgres.createDatabase()));
  const rounds = await measure(subjects);
  await checkCounts(subjects, rounds);
  printTable(
    subjects.map((subject) => ({ name: subject.name, rounds: rounds.get(subject)?.slice(1) ?? [] })),
  );
} finally {
  await Promise.all(subjects.map((subject) => subject.server.stop()));
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function measure(all: readonly Subject[]): Promise<Map<Subject, Round[]>> {
  const rounds = new Map<Subject, Round[]>(all.map((subject) => [subject, []]));
  // The first round warms up and is counted for its clicks alone.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const subject of all) {
      const options = { amount: AMOUNT, connections: CONNECTIONS };
      const result = await runRound(subject.server.url, subject.partnerCode, options);
      rounds.get(subject)?.push(result);
      process.stderr.write(`round ${round}: ${subject.name}: ${Math.round(result.requestsPerSecond)}/s\n`);
    }
  }
  return rounds;
}

/** A fast answer that lost a click would be no result: every acknowledged click must be there. */
async function checkCounts(all: readonly Subject[], rounds: ReadonlyMap<Subject, Round[]>): Promise<void> {
  for (const subject of all) {
    const stored = await subject.countClicks();
    const acknowledged = (rounds.get(subject) ?? []).reduce((sum, round) => sum + round.acknowledged, 0);
    if (stored === null) continue;
    if (stored !== acknowledged) {
      throw new Error(`${subject.name} acknowledged ${acknowledged} clicks and has ${stored}`);
    }
    process.stdout.write(`${subject.name}: ${acknowledged} clicks acknowledged, ${stored} stored\n`);
  }
}
