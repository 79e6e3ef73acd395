import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nowMicros, readProfile } from '../cpu-profile.ts';
import { sendRequests } from '../load.ts';
import type { Figure, Section } from '../report.ts';
import { PARTNER_CODE, prepareProgram, signIn, startReference } from '../servers.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const CONNECTIONS = 64;
const WARM_UP = 40_000;
const AMOUNT = 60_000;
/** Parts that take less time than this are summed up in one row. */
const MIN_SHOWN_MICROS = 0.5;

/** Measures where the main thread of the server spends the time of a click. */
export async function profile(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const amount = scaled(AMOUNT, context);
  return {
    id: 'profile',
    title: 'Where a click spends its time',
    text: `The time that the main thread of the reference server spends in each package, in each folder of Affkit's packages, and in Node itself, during ${amount.toLocaleString('en')} clicks over ${CONNECTIONS} connections. The time of native code is added to its caller. Node's profiler itself adds some time.`,
    figures: [
      ...(await profileOf('SQLite', `sqlite:${join(folder, 'profile.db')}`, context)),
      ...(await profileOf('Postgres', await postgres.createDatabase(), context)),
    ],
  };
}

async function profileOf(kind: string, databaseUrl: string, context: Context): Promise<Figure[]> {
  const folder = join(context.folder, `profile-${kind}`);
  mkdirSync(folder);
  const nodeOptions = ['--cpu-prof', '--cpu-prof-dir', folder];
  const server = await startReference(databaseUrl, { nodeOptions });
  const requests = visits(PARTNER_CODE);
  const amount = scaled(AMOUNT, context);
  let fromMicros: number;
  let toMicros: number;
  try {
    await prepareProgram(await signIn(server.url));
    await sendRequests(server.url, { requests, amount: scaled(WARM_UP, context), connections: CONNECTIONS });
    fromMicros = nowMicros();
    await sendRequests(server.url, { requests, amount, connections: CONNECTIONS });
    toMicros = nowMicros();
  } finally {
    // The process writes its profile on exit.
    await server.stop();
  }
  const parts = [...readProfile(folder, { fromMicros, toMicros })].map(
    ([part, micros]) => [part, micros / amount] as const,
  );
  const figure = (part: string, micros: number): Figure => ({
    name: `${kind}: ${part}`,
    unit: 'µs',
    rounds: [micros],
  });
  const sum = (some: typeof parts) => some.reduce((total, [, micros]) => total + micros, 0);
  const small = parts.filter(([, micros]) => micros < MIN_SHOWN_MICROS);
  return [
    figure('a click', sum(parts)),
    ...parts
      .filter(([, micros]) => micros >= MIN_SHOWN_MICROS)
      .sort(([, a], [, b]) => b - a)
      .map(([part, micros]) => figure(part, micros)),
    figure('other', sum(small)),
  ];
}
