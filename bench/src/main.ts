import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../packages/core/test/support/postgres-server.ts';
import { recordSections } from './record.ts';
import { isTargetMet, type Section, toText } from './report.ts';
import { clicks } from './suites/clicks.ts';
import type { Context } from './suites/context.ts';
import { conversions } from './suites/conversions.ts';
import { dashboard } from './suites/dashboard.ts';
import { growth } from './suites/growth.ts';
import { latency } from './suites/latency.ts';
import { overload } from './suites/overload.ts';
import { processes } from './suites/processes.ts';
import { profile } from './suites/profile.ts';
import { scale as scaleSuite } from './suites/scale.ts';
import { sdk } from './suites/sdk.ts';
import { start } from './suites/start.ts';
import { storage } from './suites/storage.ts';
import { tracker } from './suites/tracker.ts';
import { findPeerProblem } from './tracker/scripts.ts';

const SUITES: Readonly<Record<string, (context: Context) => Promise<Section>>> = {
  clicks,
  conversions,
  latency,
  growth,
  dashboard,
  overload,
  processes,
  profile,
  scale: scaleSuite,
  sdk,
  start,
  storage,
  tracker,
};

const USAGE = `npm run bench -- [suite …] [--scale 0.1] [--events 10000000] [--keep folder] [--peer "name version=file"] [--json file] [--record]
  suites    ${Object.keys(SUITES).join(', ')}; default: all
  --scale   scales the number of requests, greater than 0 and at most 1, for trial runs
  --events  the number of events in the largest database of the suite dashboard; default: 1000000
  --keep    keeps the databases of the suite dashboard in this folder; the next run reuses them
  --peer    a script that the suite tracker also measures, as a file, such as "Dub 1.2=script.js"
  --json    writes the results to a file
  --record  updates docs/performance.json and the tables in docs/performance.md
Exits with code 1 if a target is missed.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    events: { type: 'string', default: '1000000' },
    keep: { type: 'string' },
    peer: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    record: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const names = positionals.length === 0 ? Object.keys(SUITES) : positionals;
const scale = Number(values.scale);
const events = Number(values.events);
const unknown = names.filter((name) => !(name in SUITES));
if (values.help) process.stdout.write(`${USAGE}\n`);
else {
  const problem = findProblem();
  if (problem === null) await runSuites();
  else {
    process.stderr.write(`${problem}\n${USAGE}\n`);
    process.exitCode = 1;
  }
}

function findProblem(): string | null {
  if (unknown.length > 0) return `Unknown suite: ${unknown.join(', ')}.`;
  if (!(scale > 0 && scale <= 1)) return `--scale must be greater than 0 and at most 1, got ${values.scale}.`;
  if (!Number.isSafeInteger(events) || events < 1)
    return `--events must be an integer of at least 1, got ${values.events}.`;
  return values.peer.map(findPeerProblem).find((problem) => problem !== null) ?? null;
}

async function runSuites(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-bench-'));
  const keptFolder = values.keep === undefined ? undefined : resolve(values.keep);
  const postgres = await startPostgres({ keptFolder });
  const sections: Section[] = [];
  try {
    for (const name of names) {
      process.stderr.write(`${name}\n`);
      const section = await SUITES[name]?.({
        folder,
        keptFolder,
        postgres,
        scale,
        events,
        peers: values.peer,
      });
      if (!section) continue;
      sections.push(section);
      process.stdout.write(`${toText(section)}\n\n`);
    }
  } finally {
    if (keptFolder !== undefined) await postgres.stopFast();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(sections, null, 2)}\n`);
  if (values.record) recordSections(sections);
  const isMissed = sections.some(({ figures }) => figures.some((figure) => isTargetMet(figure) === false));
  process.exitCode = isMissed ? 1 : 0;
}
