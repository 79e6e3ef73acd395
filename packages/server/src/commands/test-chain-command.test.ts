import { afterEach, beforeEach, expect, test } from 'vitest';
import { memoryKinds } from '../../../core/test/support/engine-kinds.ts';
import { makeWorld, signInOwner, type World } from '../../../core/test/support/world.ts';
import { captureCommand } from '../../test/run-cli.ts';
import { runTestChain } from './test-chain-command.ts';

let world: World;
beforeEach(async () => {
  const [open] = Object.values(memoryKinds);
  if (!open) throw new Error('memoryKinds must contain a database');
  world = await makeWorld(await open());
});
afterEach(() => world.affkit.close());

async function run({ json = false, programId = world.program.id } = {}) {
  const warnings: string[] = [];
  const writeError = (text: string) => void warnings.push(text);
  const { code, stdout, stderr } = await captureCommand(
    () => runTestChain(world.engine, programId, { writeError }),
    { json },
  );
  return { code, stdout, stderr: warnings.join('') + stderr };
}

test('prints each step from the click to the refund, and changes no real data', async () => {
  expect(await run()).toEqual({
    code: 0,
    stdout: ['click', 'lead', 'sale', 'refund'].map((step) => `ok ${step}: Test ${step} recorded\n`).join(''),
    stderr: '',
  });
  for (const table of ['click_events', 'lead_events', 'sales', 'test_refunds'] as const) {
    expect(await world.engine.read.selectFrom(table).select('is_test').execute()).toEqual([{ is_test: 1 }]);
  }
  for (const table of ['customers', 'commissions', 'ledger_entries'] as const) {
    expect(await world.engine.read.selectFrom(table).selectAll().execute()).toEqual([]);
  }
});

test('prints the reason why a step failed, and runs the other steps', async () => {
  const path = `/api/advertiser/affiliate-programs/${world.program.id}`;
  const change = { allowed_origins: ['https://elsewhere.example'] };
  expect(await world.call('PUT', path, change, await signInOwner(world))).toMatchObject({ status: 200 });
  const { code, stdout } = await run({ json: true });
  expect(code).toBe(1);
  const failed = { ok: false, message: 'Origin not allowed', code: 'origin_not_allowed' };
  expect(JSON.parse(stdout)).toMatchObject({
    programId: world.program.id,
    healthy: false,
    steps: [
      { step: 'click', ...failed },
      { step: 'lead', ...failed },
      { step: 'sale', ok: true, code: null },
      { step: 'refund', ok: true, code: null },
    ],
  });
});

test('fails after 10 runs in an hour and says how long to wait, and fails if the program does not exist', async () => {
  for (let count = 0; count < 10; count++) expect((await run()).code).toBe(0);
  expect(await run()).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^Program \d+ has run 10 chain tests in the last hour\. Try again in \d+ seconds\.\n$/,
    ),
  });
  expect(await run({ programId: 999 })).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Program 999 does not exist\n',
  });
});
