import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import terserPlugin from '@rollup/plugin-terser';
import { rollup } from 'rollup';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPacked, makeProject, type Packed } from './packed-project.ts';

const run = promisify(execFile);
// The types of this plugin describe its CommonJS module, but Node loads its ES module.
const terser = terserPlugin as unknown as typeof terserPlugin.default;
const require = createRequire(import.meta.url);
const MAX_GZIP_BYTES = 12 * 1024;

let folder = '';
let packed: Packed;
let consumer = '';

beforeAll(async () => {
  ({ folder, project: consumer } = makeProject());
  packed = await installPacked('node', consumer);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the package contains the build and the sources, but no tests', () => {
  const paths = packed.files;
  expect(paths).toEqual(
    expect.arrayContaining([
      'README.md',
      'dist/esm/index.js',
      'dist/cjs/index.js',
      'dist/cjs/package.json',
      'src/index.ts',
    ]),
  );
  const others = paths.filter((path) => !/^(package\.json|README\.md|LICENSE|(dist|src)\/)/.test(path));
  expect([others, paths.filter((path) => path.includes('.test.'))]).toEqual([[], []]);
});

test('the package has no dependencies', () => {
  const { manifest } = packed;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).toMatchObject({
    peerDependencies: { undici: expect.any(String) },
    peerDependenciesMeta: { undici: { optional: true } },
  });
});

const program = `
const affkit = new Affkit({
  token: 'aff_token',
  baseUrl: 'https://affkit.test',
  fetch: async (url) => Response.json({ success: true, sale_id: 1, commission_id: 2, message: url }),
});
const header = affkit.webhooks.sign('{"a":1}', { secret: 's' });
affkit.sale({ transaction_id: 'a', amount_cents: 1, click_id: 'c' }).then((sale) => {
  const event = affkit.webhooks.verify('{"a":1}', header, { secret: 's' });
  const tracking = attachTracking({ mode: 'setup' }, { programId: 7, clickId: 'c' });
  return affkit.reconcile({ since: new Date(), list: [] }).then(({ checked }) => {
    console.log(JSON.stringify({ sale, event, delay: parseRetryAfter('3', 0), tracking, checked }));
  });
});
`;

test.each([
  [
    'import',
    'esm.mjs',
    `import { Affkit, parseRetryAfter } from '@affkit/node';
import { attachTracking } from '@affkit/node/stripe';${program}`,
  ],
  [
    'require',
    'cjs.cjs',
    `const { Affkit, parseRetryAfter } = require('@affkit/node');
const { attachTracking } = require('@affkit/node/stripe');${program}`,
  ],
])('the package works with %s, without other packages', async (_how, file, source) => {
  writeFileSync(join(consumer, file), source);
  const { stdout } = await run(process.execPath, [file], { cwd: consumer, env: {} });
  expect(JSON.parse(stdout)).toEqual({
    sale: { status: 'recorded', saleId: 1, commissionId: 2, attempts: 1 },
    event: { a: 1 },
    delay: 3000,
    tracking: { mode: 'setup', metadata: { service_click_id: 'c', program_id: '7' } },
    checked: 0,
  });
});

const FILES = ['types.mts', 'types.cts'];

/** Returns the example of the guide's section about the management client. */
function guideExample(): string {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/node-sdk.md'), 'utf8');
  const [, section = ''] = guide.split('## Manage programs');
  return /```ts\n(.*?)```/s.exec(section)?.[1] ?? expect.unreachable('The guide has no example');
}

test.each([
  ['only the DOM library', ['--lib', 'es2024,dom', '--module', 'node16']],
  ['only the types of Node', ['--lib', 'es2024', '--types', 'node', '--module', 'nodenext']],
  ['a bundler', ['--lib', 'es2024,dom', '--module', 'esnext', '--moduleResolution', 'bundler']],
])(
  'the types compile with %s, for import and for require',
  async (_what, options) => {
    const source = `
const spool = fileSpool({ dir: 'spool' });
const affkit = new Affkit({ token: async () => 'aff_token', baseUrl: 'https://affkit.test', fetch, spool });
export async function report(): Promise<number | null | undefined> {
  const result = await affkit.sale({ transaction_id: 'a', amount_cents: 1, click_id: null, customer_key: 'u' });
  if (result.status === 'queued') return result.spoolId.length;
  if (result.status === 'unattributed') return result.code.length;
  // @ts-expect-error the field requires a check of the status first
  result.reason;
  return result.status === 'recorded' ? result.commissionId : result.ownedByCaller === false ? null : undefined;
}
// @ts-expect-error a sale requires an amount
export const wrong = () => affkit.sale({ transaction_id: 'a', click_id: 'c' });
// @ts-expect-error a sale requires customer_key or click_id
export const noCustomer = () => affkit.sale({ transaction_id: 'a', amount_cents: 1 });
// @ts-expect-error a lead requires customer_key or click_id
export const noVisitor = () => affkit.lead({ email: 'a@b.test', click_id: undefined });
export const signUp = (clickId?: string) => affkit.lead({ click_id: clickId, customer_key: 'u' });
export const testLead = () => affkit.lead({ additional_data: { test_mode: true } });
export const { schema } = sqlOutbox({ dialect: 'sqlite' });
export const session: { mode: 'payment' } = attachTracking({ mode: 'payment' }, { programId: 7 });
export const call = (event: unknown) => toTrackCall(event);
const client = new AffkitManagement({ programId: 1 });
export async function emails(): Promise<string[]> {
  const partners: Partner[] = [];
  for await (const partner of client.partners.list({ status: 'approved' })) partners.push(partner);
  // @ts-expect-error this is not a status of partners
  client.partners.list({ status: 'unknown' });
  // @ts-expect-error a partner is selected by its numeric id
  client.partners.get('anna');
  return partners.map(({ email }) => email);
}
export const file: Promise<ReadableStream<Uint8Array>> = client.payouts.exportCsv();
export const hook = (request: Request) => affkit.webhooks.fromRequest<{ id: string }>(request);
export const reasonOf = (error: unknown): WebhookRefusal | undefined =>
  error instanceof AffkitWebhookVerificationError ? error.reason : undefined;
`;
    const names = '{ Affkit, AffkitWebhookVerificationError, type WebhookRefusal }';
    for (const file of FILES) {
      const imports = `import { AffkitManagement, type Partner } from '@affkit/node/management';
import { sqlOutbox } from '@affkit/node/outbox';
import { fileSpool } from '@affkit/node/spool';
import { attachTracking, toTrackCall } from '@affkit/node/stripe';
import ${names} from '@affkit/node';`;
      writeFileSync(join(consumer, file), imports + source);
    }
    linkNodeTypes();
    writeFileSync(join(consumer, 'guide.mts'), guideExample());
    const files = options.includes('--types') ? [...FILES, 'guide.mts'] : FILES;
    const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
    const module = ['--target', 'es2022', '--noEmit', '--ignoreConfig', '--checkers', '1'];
    const tsc = join(dirname(require.resolve('typescript-native/package.json')), 'bin/tsc');
    const args = [tsc, ...strict, ...module, ...options, ...files];
    const { stdout } = await run(process.execPath, args, { cwd: consumer }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  },
  60_000,
);

function linkNodeTypes(): void {
  const types = dirname(require.resolve('@types/node/package.json'));
  const undici = dirname(createRequire(join(types, 'package.json')).resolve('undici-types/package.json'));
  const target = join(consumer, 'node_modules');
  mkdirSync(join(target, '@types'), { recursive: true });
  for (const [from, to] of [
    [types, join(target, '@types', 'node')],
    [undici, join(target, 'undici-types')],
  ] as const) {
    rmSync(to, { recursive: true, force: true });
    symlinkSync(from, to, 'junction');
  }
}

/**
 * Bundles an entry with its imports from this package. Returns the minified, gzipped sizes of the entry and of
 * each chunk that it loads on demand, and its other imports.
 */
async function bundle(entry: string): Promise<{ bytes: number; lazyBytes: number[]; imports: string[] }> {
  const input = join(consumer, 'node_modules', '@affkit', 'node', 'dist', 'esm', entry);
  const built = await rollup({
    input,
    external: /^(node:|undici$)/,
    plugins: [terser({ module: true })],
    // Without this option, the entry would only re-export a chunk that it shares with the lazily loaded code.
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await built.generate({ format: 'es' });
  const [{ code, imports }, ...others] = output;
  const sizeOf = (text: string) => gzipSync(text, { level: 9 }).byteLength;
  const lazyBytes = others.map((chunk) => sizeOf(chunk.type === 'chunk' ? chunk.code : ''));
  return { bytes: sizeOf(code), lazyBytes, imports };
}

test('the main entry is at most 12 KB, minified and gzipped, and has no static imports', async () => {
  const { bytes, lazyBytes, imports } = await bundle('index.js');
  expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  // `reconcile`, `webhooks.fromRequest`, and calls with a trace load their code when they are called.
  expect(lazyBytes).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
  expect(Math.max(...lazyBytes)).toBeLessThanOrEqual(2 * 1024);
  expect(imports).toEqual([]);
});

test.each([
  ['stripe/index.js', 3, []],
  ['outbox/index.js', 6, []],
  ['management/index.js', 10, []],
  ['undici.js', 2, ['undici']],
  ['spool/index.js', 7, ['node:crypto', 'node:fs/promises', 'node:path']],
])('%s is at most %i KB', async (entry, kilobytes, expected) => {
  const { bytes, lazyBytes, imports } = await bundle(entry);
  expect(bytes).toBeLessThanOrEqual(kilobytes * 1024);
  expect(lazyBytes).toEqual([]);
  expect(imports.toSorted()).toEqual(expected);
});

test('the sources are exported under the condition @affkit/source', async () => {
  const script = "console.log(import.meta.resolve('@affkit/node'))";
  const args = ['--conditions=@affkit/source', '--input-type=module', '--eval', script];
  const { stdout } = await run(process.execPath, args, { cwd: consumer });
  expect(stdout.trim()).toMatch(/\/src\/index\.ts$/);
});
