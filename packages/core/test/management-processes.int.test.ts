import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { type Affkit, createAffkit } from '../src/create-affkit.ts';
import { createPartner } from '../src/management/partners.ts';
import { changePolicy, createPolicy } from '../src/management/policies.ts';
import { createProgram } from '../src/management/programs.ts';
import { isRejection } from '../src/rejection.ts';
import { postgresEngine } from '../src/storage/engine/postgres.ts';
import { atOnce, SECRET } from './management-world.ts';
import { createDatabase, dropDatabase } from './postgres-server.ts';
import { accepted } from './world.ts';

const PROCESSES = 4;

let connectionString: string;
let processes: Affkit[];

/** Services of their own on one database, as several processes are. */
beforeEach(async () => {
  connectionString = await createDatabase(inject('postgresUrl'));
  processes = await atOnce(PROCESSES, async () =>
    createAffkit({ engine: postgresEngine({ connectionString }), secret: SECRET }),
  );
  await Promise.all(processes.map((affkit) => affkit.migrate()));
});

afterEach(async () => {
  await Promise.all(processes.map((affkit) => affkit.close()));
  await dropDatabase(connectionString);
});

const inEach = <T>(times: number, run: (affkit: Affkit, index: number) => Promise<T>): Promise<T[]> =>
  atOnce(PROCESSES * times, (index) => {
    const affkit = processes[index % PROCESSES];
    if (!affkit) throw new Error('no such process');
    return run(affkit, index);
  });

test('of processes that start together one makes the first owner, whatever e-mails they have', async () => {
  const made = await inEach(1, (affkit, index) => affkit.ensureFirstOwner({ email: `a${index}@shop.test` }));
  expect(made.filter((owner) => owner !== null)).toHaveLength(1);
  const counts = await inEach(1, async ({ runtime: { engine } }) => [
    (await engine.read.selectFrom('users').select('id').execute()).length,
    (await engine.read.selectFrom('workspaces').select('id').execute()).length,
  ]);
  expect(counts).toEqual(Array(PROCESSES).fill([1, 1]));
});

test('slugs, partners, codes and policy versions stay unique across processes', async () => {
  await inEach(1, (affkit) => affkit.ensureFirstOwner({ email: 'a@shop.test', password: 'long enough' }));
  const workspaceId = 1;
  const commission = { type: 'percent' as const, rate: 10 };
  const settings = { name: 'Same', site_url: 'https://shop.example', commission };
  const programs = await inEach(5, (affkit) => createProgram(affkit.runtime, workspaceId, settings));
  expect(new Set(programs.map((made) => accepted(made).program.slug)).size).toBe(20);

  const [first] = programs.map((made) => accepted(made).program);
  if (!first) throw new Error('no program');
  const pat = { name: 'Pat', email: 'pat@partner.test', code: 'pat' };
  const enrolled = await inEach(5, (affkit) => createPartner(affkit.runtime, first, pat));
  expect(enrolled.filter((made) => accepted(made).isNew)).toHaveLength(1);
  expect(new Set(enrolled.map((made) => accepted(made).partner.id)).size).toBe(1);

  const taken = await inEach(5, (affkit, index) =>
    createPartner(affkit.runtime, first, { name: 'P', email: `p${index}@partner.test`, code: 'wanted' }),
  );
  expect(taken.filter((made) => !isRejection(made))).toHaveLength(1);

  const target = { product_id: 'pro', type: 'flat' as const, amount_cents: 1 };
  const policies = await inEach(5, (affkit) => createPolicy(affkit.runtime, first, target));
  const [policy] = policies.filter((made) => !isRejection(made)).map(accepted);
  expect(policies.filter((made) => !isRejection(made))).toHaveLength(1);
  const changed = await inEach(5, (affkit, index) =>
    changePolicy(affkit.runtime, first, policy?.id ?? 0, { type: 'flat', amount_cents: 100 + index }),
  );
  expect(changed.map((made) => accepted(made).version).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 2),
  );
});
