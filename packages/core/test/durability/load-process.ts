import { writeSync } from 'node:fs';
import { createAffkit } from '../../src/create-affkit.ts';
import { createCaller, type Reply, SECRET } from '../support/world.ts';
import { openDatabase } from './open-database.ts';

/** The requests that a load process sends. */
export interface LoadPlan {
  /** Path of a SQLite file, or URL of a Postgres database. */
  readonly database: string;
  readonly token: string;
  readonly code: string;
  /** Prefix of the transaction ids. */
  readonly prefix: string;
  /** Number of concurrent visitors. Each visitor sends one click after another. */
  readonly clickers: number;
  /** Number of concurrent buyers. Each buyer clicks, buys, and refunds every third sale. */
  readonly sellers: number;
  /** Number of acknowledged requests after which the process exits. @default none */
  readonly limit?: number;
  /** Number of failed requests after which the process exits. @default none: a failure throws an error */
  readonly maxFailures?: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as LoadPlan;
const log = (fields: unknown, message: string) => {
  // Tests with `maxFailures` cause failures on purpose, and would log hundreds of lines.
  if (plan.maxFailures === undefined) console.error(message, fields);
};
const logger = { info: () => {}, warn: log, error: log };
const affkit = createAffkit({ engine: openDatabase(plan.database), secret: SECRET, logger });
const call = createCaller(affkit);
let acknowledgedCount = 0;
let failureCount = 0;

// Exit when the parent exits, even if the parent was killed.
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
      if (plan.maxFailures === undefined) throw error;
      failureCount += 1;
    }
  }
}

function isOver(): boolean {
  if (plan.limit !== undefined && acknowledgedCount >= plan.limit) return true;
  return plan.maxFailures !== undefined && failureCount >= plan.maxFailures;
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

/**
 * Writes synchronously, so that the test learns of the acknowledgement even if this process dies right after.
 */
function acknowledge(...words: string[]): void {
  writeSync(1, `${words.join(' ')}\n`);
  acknowledgedCount += 1;
}
