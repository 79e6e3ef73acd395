import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAffkit } from '../../src/create-affkit.ts';
import { SILENT } from '../support/silent-logger.ts';
import { createCaller, SECRET } from '../support/world.ts';
import { openDatabase } from './open-database.ts';

/** The work of a process that records leads, and sends their webhooks. */
export interface WebhookPlan {
  /** Path of a SQLite file, or URL of a Postgres database. */
  readonly database: string;
  readonly host: string;
  readonly token: string;
  readonly code: string;
  /** The customer keys are `name-number`. The numbers are at least `from` and below `to`. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Milliseconds to add to the time. Each line of standard input replaces this value. */
  readonly offset: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as WebhookPlan;
let offset = plan.offset;
const affkit = createAffkit({
  engine: openDatabase(plan.database),
  secret: SECRET,
  now: () => Date.now() + offset,
  logger: SILENT,
  webhookAllowHosts: [plan.host],
});

// Exit when the parent exits, even if the parent was killed.
process.stdin.on('close', () => process.exit());
createInterface(process.stdin).on('line', (line) => {
  offset = Number(line);
});

const call = createCaller(affkit);

async function recordLeads(): Promise<void> {
  for (let number = plan.from; number < plan.to; number++) {
    const click = await call('POST', '/api/v1/track/click', {
      affiliate_url: `https://shop.example/?aff=${plan.code}`,
    });
    const customer_key = `${plan.name}-${number}`;
    const lead = await call(
      'POST',
      '/api/v1/track/lead',
      { click_id: click.body['click_id'], customer_key },
      { authorization: `Bearer ${plan.token}` },
    );
    if (lead.status !== 200) throw new Error(JSON.stringify(lead.body));
    writeSync(1, `${customer_key}\n`);
  }
}

async function sendWebhooks(): Promise<never> {
  for (;;) {
    await affkit.jobs.runOnce();
    await sleep(20);
  }
}

await Promise.all([recordLeads(), sendWebhooks()]);
