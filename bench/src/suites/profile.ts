import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { nowMicros, readProfile } from '../cpu-profile.ts';
import { fire } from '../load.ts';
import type { Figure, Section } from '../report.ts';
import { CODE, prepareProgram, signIn, startReference } from '../subject.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const CONNECTIONS = 64;
const WARM_UP = 40_000;
const AMOUNT = 60_000;
/** Parts that take less are summed. */
const SMALL_MICROS = 0.5;

/** Where the server's main thread spends a click's time. */
export async function profile(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const amount = scaled(AMOUNT, context);
  return {
    id: 'profile',
    title: 'Where a click spends its time',
    text: `The reference server under Node's profiler, which itself costs something: its main thread during ${amount.toLocaleString('en')} clicks over ${CONNECTIONS} connections, by the files that were running. What is written in C++ counts for who calls it.`,
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
  const requests = visits(CODE);
  const amount = scaled(AMOUNT, context);
  let fromMicros: number;
  let toMicros: number;
  try {
    await prepareProgram(await signIn(server.url));
    await fire(server.url, { requests, amount: scaled(WARM_UP, context), connections: CONNECTIONS });
    fromMicros = nowMicros();
    await fire(server.url, { requests, amount, connections: CONNECTIONS });
    toMicros = nowMicros();
  } finally {
    // It writes its profile as it ends.
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
  const small = parts.filter(([, micros]) => micros < SMALL_MICROS);
  return [
    figure('a click', sum(parts)),
    ...parts
      .filter(([, micros]) => micros >= SMALL_MICROS)
      .sort(([, a], [, b]) => b - a)
      .map(([part, micros]) => figure(part, micros)),
    figure('all else', sum(small)),
  ];
}
