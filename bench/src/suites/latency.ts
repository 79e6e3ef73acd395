import { join } from 'node:path';
import { openRawPostgres, openRawSqlite } from '../baselines/raw-inserts.ts';
import { fire } from '../load.ts';
import { compared, type Section } from '../report.ts';
import { CODE, prepareProgram, signIn, startExpress, startReference } from '../subject.ts';
import { takeTurns } from '../turns.ts';
import { visits } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 9;
const AMOUNT = 1_000;

const EXPRESS = 'Express 5, constant answer';
const SQLITE = 'click, SQLite';
const POSTGRES = 'click, Postgres';
const COMMIT_SQLITE = 'bare commit, better-sqlite3';
const COMMIT_POSTGRES = 'bare commit, pg';

/** One connection at a time: nobody to share a commit with. */
export async function latency(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const amount = scaled(AMOUNT, context);
  const onSqlite = await startReference(`sqlite:${join(folder, 'latency.db')}`);
  const onPostgres = await startReference(await postgres.createDatabase());
  const express = await startExpress();
  const rawSqlite = await openRawSqlite(join(folder, 'latency-raw.db'));
  const rawPostgres = await openRawPostgres(await postgres.createDatabase());
  try {
    for (const { url } of [onSqlite, onPostgres]) await prepareProgram(await signIn(url));
    const perRequest = (url: string) => async () => {
      const { perSecond } = await fire(url, { requests: visits(CODE), amount, connections: 1 });
      return 1000 / perSecond;
    };
    const of = await takeTurns<number>(
      ROUNDS,
      [
        { name: EXPRESS, run: perRequest(express.url) },
        { name: COMMIT_SQLITE, run: async () => 1000 / (await rawSqlite.insert(amount, 1)) },
        { name: SQLITE, run: perRequest(onSqlite.url) },
        { name: COMMIT_POSTGRES, run: async () => 1000 / (await rawPostgres.insert(amount, 1)) },
        { name: POSTGRES, run: perRequest(onPostgres.url) },
      ],
      (ms) => `${ms.toFixed(2)} ms`,
    );
    const figure = (name: string) => ({ name, unit: 'ms', rounds: of(name) });
    const withHttp = (name: string) => ({
      name: `${name}, and Express`,
      rounds: of(name).map((ms, round) => ms + (of(EXPRESS)[round] ?? 0)),
    });
    return {
      id: 'latency',
      title: 'One click at a time',
      text: `${amount.toLocaleString('en')} requests a round over one connection, ${ROUNDS} rounds in turns, mean time of one. A bare commit writes the same two rows in a durable transaction of their own, without HTTP.`,
      figures: [
        figure(EXPRESS),
        figure(COMMIT_SQLITE),
        compared(figure(SQLITE), figure(COMMIT_SQLITE), { most: 1.5 }),
        compared({ ...figure(SQLITE), name: `${SQLITE}, beside both` }, withHttp(COMMIT_SQLITE)),
        figure(COMMIT_POSTGRES),
        compared(figure(POSTGRES), figure(COMMIT_POSTGRES), { most: 1.5 }),
        compared({ ...figure(POSTGRES), name: `${POSTGRES}, beside both` }, withHttp(COMMIT_POSTGRES)),
      ],
    };
  } finally {
    await rawSqlite.close();
    await rawPostgres.close();
    await Promise.all([onSqlite, onPostgres, express].map((server) => server.stop()));
  }
}
