import type { Engine } from '@affkit/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryKinds } from '../../../core/test/support/engine-kinds.ts';
import { TraceClient } from '../../../core/test/support/trace-client.ts';
import { makeWorld, START, type World } from '../../../core/test/support/world.ts';
import { captureCommand } from '../../test/run-cli.ts';
import { runWhy } from './why-command.ts';

let engine: Engine;
let world: World;
beforeEach(async () => {
  const [open] = Object.values(memoryKinds);
  if (!open) throw new Error('memoryKinds must contain a database');
  world = await makeWorld(await open());
  engine = world.engine;
});
afterEach(() => world.affkit.close());

async function run(id: string, { json = false, programId = null as number | null } = {}) {
  return captureCommand(() => runWhy(engine, { id, programId }), { json });
}

test('prints each decision with its rule, in the same words as the trace', async () => {
  const trace = await TraceClient.of(world);
  const clickId = await world.click('anna');
  await trace.sell('order-1', { click_id: clickId, customer_key: 'user-1' });
  const steps = await trace.steps('transaction_id=order-1');
  const { code, stdout, stderr } = await run('order-1');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [title, customer, ...lines] = stdout.trimEnd().split('\n');
  expect(title).toBe(`Program ${world.program.id} (Shop program): transaction id order-1`);
  expect(customer).toBe(`  Customer: key user-1, click id ${clickId}, partner ${world.anna.partnerId}`);
  expect(lines).toEqual(
    steps.map(({ at, step, why, reason }) => `  ${at} ${step.replace('_', ' ')}: ${why} (${reason})`),
  );
  expect(lines[0]).toContain(new Date(START).toISOString());

  const document = JSON.parse((await run('user-1', { json: true })).stdout) as unknown;
  expect(document).toMatchObject({
    id: 'user-1',
    explanations: [{ kind: 'customer_key', program: { id: world.program.id }, trace: { steps } }],
  });
});

test('lists the rejected calls that contain the id, and exits with code 1 if the id is unknown', async () => {
  const trace = await TraceClient.of(world);
  await world.track('sale', { transaction_id: 'order-2', customer_key: 'user-1' });
  // Rejected calls are buffered. This request writes them to the database.
  await trace.manage('GET', '/refusals');
  const rejected = await run('order-2');
  expect(rejected).toMatchObject({ code: 0, stderr: '' });
  expect(rejected.stdout).toMatch(
    /: nothing was recorded under "order-2", because the calls below were rejected\.\nRejected calls, newest first:\n {2}\S+ sale: .+ \(amount_cents_required, request \S+\)\n$/,
  );
  expect(await run('order-3')).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('has the id "order-3"'),
  });
  expect(await run('order-3', { json: true })).toEqual({
    code: 1,
    stdout: '{\n  "id": "order-3",\n  "explanations": []\n}\n',
    stderr: '',
  });
  expect(await run('order-2', { programId: 999 })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Program 999 does not exist\n',
  });
});
