import { writeSync } from 'node:fs';
import { createAffkit } from '../../src/create-affkit.ts';
import { caller, type Reply, SECRET } from '../support/world.ts';
import { openDatabase } from './open-database.ts';

/** What a process under load has to do. */
export interface LoadPlan {
  /** The SQLite file, or the url of a Postgres database. */
  readonly database: string;
  readonly token: string;
  readonly code: string;
  /** Starts its transaction ids. */
  readonly prefix: string;
  /** Visitors that click one click after the other. */
  readonly clickers: number;
  /** Buyers that click, buy, and have every third sale refunded. */
  readonly sellers: number;
  /** Answers after which it ends by itself. */
  readonly limit?: number;
  /** Refusals that it takes before it ends by itself. @default none: the first is an error */
  readonly refusals?: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as LoadPlan;
const log = (fields: unknown, message: string) => {
  // What a test provokes by the hundred is no news.
  if (plan.refusals === undefined) console.error(message, fields);
};
const logger = { info: () => {}, warn: log, error: log };
const affkit = createAffkit({ engine: openDatabase(plan.database), secret: SECRET, logger });
const call = caller(affkit);
let answers = 0;
let refusals = 0;

// Not even a parent that was killed leaves this process behind.
process.stdin.on('close', () => process.exit()).resume();
await affkit.migrate();
acknowledge('ready', String(process.pid));
await Promise.all([
  ...Array.from({ length: plan.clickers }, () => repeat(click)),
  ...Array.from({ length: plan.sellers }, (_, seller) =>
    repeat((turn) => sell(`${plan.prefix}-${seller}-${turn}`, turn)),
  ),
]);
await affkit.close();
process.exit();

async function repeat(step: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    try {
      await step(turn);
    } catch (error) {
      if (plan.refusals === undefined) throw error;
      refusals += 1;
    }
  }
}

function isOver(): boolean {
  if (plan.limit !== undefined && answers >= plan.limit) return true;
  return plan.refusals !== undefined && refusals >= plan.refusals;
}

async function click(): Promise<string> {
  const url = `https://shop.example/?aff=${plan.code}`;
  const { body } = succeeded(await call('POST', '/api/v1/track/click', { affiliate_url: url }));
  acknowledge('click', String(body['click_id']));
  return String(body['click_id']);
}

async function sell(transactionId: string, turn: number): Promise<void> {
  const sale = { transaction_id: transactionId, amount_cents: 1999, click_id: await click() };
  const { body } = await track('sale', sale);
  acknowledge('sale', transactionId, String(body['sale_id']), String(body['commission_id']));
  if (turn % 3 !== 0) return;
  await track('refund', { transaction_id: transactionId, refund_amount_cents: 999 });
  acknowledge('refund', transactionId);
}

async function track(kind: 'sale' | 'refund', body: unknown): Promise<Reply> {
  return succeeded(
    await call('POST', `/api/v1/track/${kind}`, body, { authorization: `Bearer ${plan.token}` }),
  );
}

function succeeded(reply: Reply): Reply {
  if (reply.status !== 200) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return reply;
}

/** Written when it returns: what was acknowledged is known even if this process dies right after. */
function acknowledge(...words: string[]): void {
  writeSync(1, `${words.join(' ')}\n`);
  answers += 1;
}
