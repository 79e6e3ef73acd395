import { DatabaseSync } from 'node:sqlite';
import { Affkit } from '@affkit/node';
import { type Query, sqlOutbox } from '@affkit/node/outbox';
import type { CallRound, CallRounds } from './calls.ts';
import { createSaleSenders, saleOf, sendSales, TOKEN } from './sale-senders.ts';

/**
 * Measures the relay of an outbox in a separate process: `relay.ts <baseUrl> <rounds> <events>`. Each round measures
 * the relay, and also sends the same sales with `fetch`, without the SDK or a database. The order changes with every
 * round.
 */
const [baseUrl = '', rounds = '15', events = '5000'] = process.argv.slice(2);
const amount = Number(events);
const database = new DatabaseSync(':memory:');
const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
const query: Query = (sql, values) => {
  const statement = statements.get(sql) ?? database.prepare(sql);
  statements.set(sql, statement);
  return statement.all(...values);
};
const outbox = sqlOutbox({ dialect: 'sqlite' });
database.exec(outbox.schema);
const affkit = new Affkit({ token: TOKEN, baseUrl });
const { bare } = await createSaleSenders('fetch', baseUrl);

const measured: Record<keyof CallRounds, CallRound[]> = { bare: [], sdk: [] };
const WARM_UP_ROUNDS = 2;
for (let round = -WARM_UP_ROUNDS; round < Number(rounds); round++) {
  const order = round % 2 === 0 ? (['bare', 'sdk'] as const) : (['sdk', 'bare'] as const);
  for (const name of order) {
    if (name === 'sdk') await fillOutbox();
    const result = await measure(name === 'sdk' ? relayAll : () => sendSales(bare, amount));
    if (round >= 0) measured[name].push(result);
  }
}
process.stdout.write(JSON.stringify(measured));
process.exit();

async function fillOutbox(): Promise<void> {
  database.exec('begin');
  for (let index = 0; index < amount; index++) await outbox.sale(query, saleOf(index));
  database.exec('commit');
}

async function relayAll(): Promise<void> {
  const { delivered, heldUpBy } = await outbox.relay(affkit, query);
  if (delivered !== amount)
    throw new Error(`Delivered ${delivered} of ${amount} events`, { cause: heldUpBy });
}

async function measure(send: () => Promise<void>): Promise<CallRound> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await send();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { callsPerSecond: amount / seconds, cpuMicrosPerCall: (user + system) / amount };
}
