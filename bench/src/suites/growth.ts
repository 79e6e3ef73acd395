import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createAffkit, type Engine } from '@affkit/core';
import { postgresEngine } from '@affkit/core/postgres';
import { sqliteEngine } from '@affkit/core/sqlite';
import { compared, type Figure, type Section } from '../report.ts';
import { call, seedEvents } from '../seed-events.ts';
import { takeTurns } from '../turns.ts';
import { visitBody } from '../visits.ts';
import { type Context, scaled } from './context.ts';

const SMALL = 10_000;
const LARGE = 10_000_000;
const ROUNDS = 9;
const AMOUNT = 10_000;
const AT_ONCE = 64;

/** What a click costs where there are many already. */
export async function growth(context: Context): Promise<Section> {
  const { folder, postgres } = context;
  const sizes = [scaled(SMALL, context), scaled(LARGE, context)] as const;
  const amount = scaled(AMOUNT, context);
  const figures = [
    ...(await compareSizes('SQLite', sizes, amount, async (size) =>
      sqliteEngine({ path: join(folder, `growth-${size}.db`) }),
    )),
    ...(await compareSizes('Postgres', sizes, amount, async () =>
      postgresEngine({ connectionString: await postgres.createDatabase() }),
    )),
  ];
  return {
    id: 'growth',
    title: 'A click among many',
    text: `${amount.toLocaleString('en')} clicks a round, ${AT_ONCE} at once, ${ROUNDS} rounds in turns, on databases of ${sizes.map((size) => size.toLocaleString('en')).join(' and ')} events; through the whole service but the network.`,
    figures,
  };
}

async function compareSizes(
  kind: string,
  [small, large]: readonly [number, number],
  amount: number,
  open: (size: number) => Promise<Engine>,
): Promise<Figure[]> {
  const less = await prepare(await open(small), small);
  const more = await prepare(await open(large), large);
  try {
    const name = (size: number) => `${kind}, ${size.toLocaleString('en')} events`;
    const of = await takeTurns<number>(
      ROUNDS,
      [
        { name: name(small), run: () => less.click(amount) },
        { name: name(large), run: () => more.click(amount) },
      ],
      (micros) => `${Math.round(micros)} µs`,
    );
    const figure = (size: number) => ({ name: name(size), unit: 'µs a click', rounds: of(name(size)) });
    return [figure(small), compared(figure(large), figure(small), { most: 1.3 })];
  } finally {
    await less.close();
    await more.close();
  }
}

async function prepare(engine: Engine, size: number) {
  const affkit = createAffkit({ engine, secret: randomBytes(24).toString('hex') });
  const { programId, token } = await seedEvents(affkit, size);
  const partners = `/api/advertiser/affiliate-programs/${programId}/partners`;
  await call(affkit, partners, { name: 'Anna', email: 'anna@bench.example', code: 'anna' }, token);
  return {
    /** @returns microseconds each, by the clock */
    click: async (amount: number): Promise<number> => {
      let sent = 0;
      const visitor = async () => {
        while (sent < amount) await call(affkit, '/api/v1/track/click', visitBody('anna', sent++));
      };
      const begin = performance.now();
      await Promise.all(Array.from({ length: AT_ONCE }, visitor));
      return ((performance.now() - begin) * 1000) / amount;
    },
    close: () => affkit.close(),
  };
}
