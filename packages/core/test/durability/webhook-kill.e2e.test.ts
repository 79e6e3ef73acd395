import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createEndpoint } from '../../src/management/webhook-endpoints.ts';
import { makeTempFolder } from '../support/make-temp-folder.ts';
import { createMigratedDatabase, dropDatabase } from '../support/postgres-server.ts';
import { byDepth } from '../support/test-depth.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { makeWorld, unwrap } from '../support/world.ts';
import { type Load, startScript } from './load.ts';
import { openDatabase } from './open-database.ts';
import type { WebhookPlan } from './webhook-process.ts';

const ENDPOINTS = 10;
/** These endpoints fail until all leads are recorded. */
const BROKEN = ['/8', '/9'];
const LEADS_PER_PROCESS = byDepth({ short: 30, long: 500 });
const HOUR = 3_600_000;

const databases: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => {
    const folder = makeTempFolder();
    return join(folder, 'affkit.db');
  },
  Postgres: async () => {
    const url = await createMigratedDatabase(inject('postgresUrl'));
    onTestFinished(() => dropDatabase(url));
    return url;
  },
};
const KINDS = byDepth({ short: ['SQLite'], long: Object.keys(databases) });

test.each(KINDS)(
  `${2 * LEADS_PER_PROCESS * ENDPOINTS} webhooks reach every endpoint on %s, although two processes are killed and a fifth of the endpoints fail`,
  {
    timeout: 300_000 + LEADS_PER_PROCESS * 1_000,
  },
  async (kind) => {
    const database = (await databases[kind]?.()) ?? '';
    const receiver = await openReceiver();
    const options = { webhookAllowHosts: [receiver.host] };
    const world = await makeWorld(openDatabase(database), {}, options);
    const { read } = world.engine;
    for (let number = 0; number < ENDPOINTS; number++) {
      const input = { url: `http://${receiver.host}/${number}`, event_types: ['lead.created' as const] };
      receiver.secrets.push(unwrap(await createEndpoint(world.affkit.runtime, world.program, input)).secret);
    }
    let isRepaired = false;
    receiver.answer = ({ path }) => (!isRepaired && BROKEN.includes(path) ? 500 : 200);

    let offset = 0;
    const acknowledged: string[][] = [[], []];
    const plan: Omit<WebhookPlan, 'name' | 'from'> = {
      database,
      host: receiver.host,
      token: world.token,
      code: world.anna.code,
      to: LEADS_PER_PROCESS,
      offset,
    };
    // A killed process may have recorded a lead without reporting it. The replacement process therefore has another
    // name, so that it uses new customer keys.
    let started = 0;
    const start = (index: number): Load =>
      startScript('webhook-process.ts', {
        ...plan,
        name: `process-${started++}`,
        from: acknowledged[index]?.length ?? 0,
        offset,
      } satisfies WebhookPlan);
    const processes = [start(0), start(1)];
    for (const [index, killed] of processes.entries()) {
      await killed.waitForLines(Math.ceil(LEADS_PER_PROCESS / 3));
      killed.kill();
      expect(await killed.exited).toBe('SIGKILL');
      acknowledged[index]?.push(...killed.lines);
      processes[index] = start(index);
    }
    for (const [index, running] of processes.entries()) {
      await running.waitForLines(LEADS_PER_PROCESS - (acknowledged[index]?.length ?? 0));
      acknowledged[index]?.push(...running.lines);
    }
    isRepaired = true;
    const countQueued = async () => {
      const { total } = await read
        .selectFrom('webhook_deliveries')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('status', '=', 'queued')
        .executeTakeFirstOrThrow();
      return total;
    };
    // Advance the time to end leases of killed processes, pauses of endpoints, and delays of retries.
    for (let rest = await countQueued(); rest > 0; rest = await countQueued()) {
      offset += HOUR / 4;
      for (const running of processes) running.tell(String(offset));
      await sleep(100);
    }
    for (const running of processes) running.kill();
    await Promise.all(processes.map(({ exited }) => exited));

    const keys = acknowledged.flat();
    expect(keys).toHaveLength(2 * LEADS_PER_PROCESS);
    const received = new Set(
      receiver.received.map(({ path, event }) =>
        event.type === 'lead.created' ? `${path} ${event.data.customer_key}` : '',
      ),
    );
    const paths = Array.from({ length: ENDPOINTS }, (_, number) => `/${number}`);
    const lost = paths.flatMap((path) => keys.filter((key) => !received.has(`${path} ${key}`)));
    expect(lost).toEqual([]);
    // The table also contains leads that a killed process has recorded without reporting them.
    const leads = await read.selectFrom('lead_events').select('customer_key').execute();
    expect(received.size).toBe(leads.length * ENDPOINTS);
    const deliveries = await read.selectFrom('webhook_deliveries').select('status').execute();
    expect(deliveries).toHaveLength(leads.length * ENDPOINTS);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    // The sequence follows the order in which the leads of a process were recorded.
    const sequenceOf = new Map(
      receiver.received.map(({ event }) => [
        event.type === 'lead.created' ? event.data.customer_key : null,
        event.sequence,
      ]),
    );
    for (const recorded of acknowledged) {
      const sequences = recorded.map((key) => sequenceOf.get(key) ?? 0);
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    }
    expect(receiver.rejected).toBe(0);
    await world.affkit.close();
    await receiver.close();
  },
);
