import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPacked, linkPackage, makeProject, type Packed } from '../../node/test/packed-project.ts';

const run = promisify(execFile);
const compiler = createRequire(import.meta.url).resolve('typescript-native/package.json');
const tsc = join(dirname(compiler), 'bin/tsc');

let folder = '';
let project = '';
let packed: Packed;

beforeAll(async () => {
  ({ folder, project } = makeProject());
  for (const name of ['protocol', 'core', 'node', 'testing']) {
    packed = await installPacked(name, project);
    // Link only the declared dependencies, so that the test fails if the manifest lacks one.
    for (const dependency of Object.keys(packed.manifest.dependencies ?? {})) {
      linkPackage(dependency, name, project);
    }
  }
  // The advertiser's project has msw as its own dependency.
  linkPackage('msw', 'testing', project);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package contains the build without tests and depends only on core and better-sqlite3', () => {
  const others = packed.files.filter((path) => !/^(package\.json|README\.md|LICENSE|dist\/)/.test(path));
  expect([others, packed.files.filter((path) => path.includes('.test.'))]).toEqual([[], []]);
  expect(packed.manifest.dependencies).toEqual({
    '@affkit/core': expect.stringMatching(/^\d/),
    'better-sqlite3': expect.stringMatching(/^\^\d/),
  });
});

/** An advertiser's test. As in production, the code under test configures its client from the environment. */
const shopTest = `
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Affkit } from '@affkit/node';
import { createTestAffkit, type TestAffkit, type TestPartner } from '@affkit/testing';
import { http } from 'msw';
import { setupServer } from 'msw/node';

const sale = { transaction_id: 'order-1', amount_cents: 10_000, customer_key: 'user-1' };
const msw = setupServer();
let server: TestAffkit;
let partner: TestPartner;
let affkit: Affkit;

before(async () => {
  server = await createTestAffkit({ program: { commission: { type: 'percent', rate: 20 } } });
  msw.use(...server.handlers(http));
  msw.listen();
  process.env['AFFKIT_BASE_URL'] = server.baseUrl;
  process.env['AFFKIT_TOKEN'] = server.token;
  affkit = new Affkit({ logLevel: 'off' });
  partner = await server.partner({ code: 'ann' });
});
after(async () => {
  msw.close();
  await server.close();
});

test('a customer of a partner earns a commission', async () => {
  await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
  const recorded = await affkit.sale(sale);
  assert.equal(recorded.status, 'recorded');
  assert.equal(await partner.balanceCents(), 2_000);
});

test('a repeated sale is a duplicate', async () => {
  server.faults.add({ kind: 'lost_reply' });
  const again = await affkit.sale(sale);
  assert.equal(again.status, 'duplicate');
  assert.equal(await partner.balanceCents(), 2_000);
});

test('a refund reverses the commission', async () => {
  await affkit.refund({ transaction_id: 'order-1' });
  assert.equal(await partner.balanceCents(), 0);
  assert.deepEqual((await server.commissions()).map(({ status }) => status), ['reversed']);
});

test('a sale after the window has no commission', async () => {
  await server.clock.advance({ days: 31 });
  const late = await affkit.sale({ ...sale, transaction_id: 'order-2', occurred_at: new Date(server.clock.now()).toISOString() });
  assert.equal(late.status === 'recorded' && late.reason, 'window_expired');
});
`;

test('an advertiser test with msw passes in a separate project', async () => {
  writeFileSync(join(project, 'shop.test.mts'), shopTest);
  const args = ['--test', '--test-reporter=tap', 'shop.test.mts'];
  const { stdout } = await run(process.execPath, args, { cwd: project, env: {} }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toContain('# pass 4');
  expect(stdout).toContain('# fail 0');
});

test('the types compile with the DOM library, which msw requires', async () => {
  writeFileSync(join(project, 'types.mts'), shopTest);
  linkPackage('@types/node', '..', project);
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const module = ['--target', 'es2023', '--lib', 'es2024,dom', '--types', 'node', '--module', 'nodenext'];
  const args = [tsc, ...strict, ...module, '--noEmit', '--ignoreConfig', '--checkers', '1', 'types.mts'];
  const { stdout } = await run(process.execPath, args, { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});
