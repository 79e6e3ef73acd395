import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Affkit, createAffkit } from '@affkit/core';
import { nodeAdapter } from '@affkit/core/node';
import { sqliteEngine } from '@affkit/core/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listCodeBlocks } from './code-blocks.ts';

/**
 * Runs the commands of the pages against a service, in the order of PAGES. A page that calls the API must be in this
 * list. A block with `…` asks the reader to fill in a value, and is not run.
 */

const run = promisify(execFile);
const PASSWORD = 'correct-horse';
const EMAIL = 'you@your-shop.example';
const PROGRAM = '/api/advertiser/affiliate-programs/1';

let affkit: Affkit;
let server: Server;
let receiver: Server;
let folder: string;
let origin: string;
let session: string;
/** What the blocks of each page have printed. */
const outputs = new Map<string, string>();

/** The reason why a block cannot run here. The key is a part of the block's text. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'payout-batches/1/cancel':
    'A batch whose file was downloaded cannot be canceled, and an earlier block downloads the file.',
  'provider:paypal': 'The service would send a payout through PayPal.',
};

/** Makes a script stop at the first command or request that fails. */
const PRELUDE = `set -euo pipefail
curl() { "$CURL_PATH" --fail-with-body --silent --show-error "$@"; }
jq() { "$JQ_PATH" "$@"; }`;

type Variables = Readonly<Record<string, string>>;

/** Prepares what a page expects, and returns the shell variables that its commands use. */
const PAGES: Readonly<Record<string, () => Promise<Variables>>> = {
  'docs/api.md': async () => ({}),
  'docs/troubleshooting.md': async () => ({ KEY: await createKey('trace:read'), ID: '1' }),
  'docs/guides/webhooks.md': prepareWebhooks,
  'docs/guides/email.md': async () => ({ AUTH: `authorization: Bearer ${session}` }),
  'docs/guides/stripe.md': prepareStripe,
  'docs/guides/payouts.md': preparePayouts,
};

const blocks = listCodeBlocks(['sh']).filter(({ code }) => /\bcurl\b/.test(code) && !code.includes('…'));

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-docs-'));
  receiver = await listen(createServer((_request, response) => response.writeHead(204).end()));
  affkit = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'a-secret-of-at-least-32-characters',
    publicUrl: 'https://affiliates.your-shop.example',
    webhookAllowHosts: [`127.0.0.1:${portOf(receiver)}`],
    mailer: { from: { address: 'affiliates@your-shop.example' }, send: async () => {} },
  });
  await affkit.migrate();
  await affkit.ensureFirstOwner({ email: EMAIL, password: PASSWORD });
  server = await listen(createServer(nodeAdapter(affkit)));
  origin = `http://127.0.0.1:${portOf(server)}`;
  const { token } = await post('/api/auth/login', { email: EMAIL, password: PASSWORD }, '');
  session = String(token);
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  receiver?.close();
  await affkit?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('every page with commands that call the API is run', () => {
  expect([...new Set(blocks.map(({ page }) => page))].sort()).toEqual(Object.keys(PAGES).sort());
});

test.each(Object.keys(PAGES))('the commands of %s succeed', async (page) => {
  const variables = (await PAGES[page]?.()) ?? {};
  for (const { name, code } of blocks.filter((block) => block.page === page)) {
    if (Object.keys(NOT_RUN).some((text) => code.includes(text))) continue;
    const result = await runInShell(code, variables);
    expect({ name, ...result }).toMatchObject({ name, code: 0 });
    outputs.set(page, (outputs.get(page) ?? '') + result.stdout);
  }
});

test('the commands of the API quick start earn 400 cents for the partner', async () => {
  const { data } = await call('GET', `${PROGRAM}/commissions`);
  expect(data).toMatchObject([{ amount_cents: 400 }]);
});

/** Runs a block as a script of bash. */
async function runInShell(code: string, variables: Variables) {
  const script = code
    .replaceAll('http://127.0.0.1:8787', origin)
    .replaceAll('https://affiliates.example', origin)
    .replaceAll('https://shop.example/', `http://127.0.0.1:${portOf(receiver)}/`)
    .replaceAll('affiliate-programs/7/', 'affiliate-programs/1/')
    .replaceAll('deliveries/12', `deliveries/${variables['DELIVERY'] ?? '12'}`);
  const common = { A: origin, URL: origin, J: 'content-type: application/json', SESSION: session };
  const { PATH, CURL_PATH, JQ_PATH } = process.env;
  const options = { cwd: folder, env: { PATH, CURL_PATH, JQ_PATH, ...common, ...variables } };
  try {
    // Without --norc, bash runs the user's .bashrc, because its standard input is a socket.
    const { stdout } = await run('bash', ['--norc', '-c', `${PRELUDE}\n${script}`], options);
    return { code: 0, stdout };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

async function listen(listening: Server): Promise<Server> {
  listening.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return listening;
}

function portOf(listening: Server): number {
  return (listening.address() as AddressInfo).port;
}

async function call(method: string, path: string, body?: unknown, token = session) {
  const response = await fetch(origin + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const reply = (await response.json()) as Record<string, unknown> & { data: Record<string, unknown> };
  expect({ path, reply: response.ok ? 'ok' : reply }).toEqual({ path, reply: 'ok' });
  return reply;
}

function post(path: string, body: unknown, token?: string) {
  return call('POST', path, body, token);
}

async function createKey(...scopes: string[]): Promise<string> {
  const { data } = await post('/api/advertiser/api-keys', { name: 'docs', scopes });
  return String(data['key']);
}

/** Creates an endpoint that has received an event. */
async function prepareWebhooks(): Promise<Variables> {
  const url = `http://127.0.0.1:${portOf(receiver)}/other`;
  const { data } = await post(`${PROGRAM}/webhook-endpoints`, { url, event_types: ['sale.created'] });
  const endpoint = `${PROGRAM}/webhook-endpoints/${data['id']}`;
  await post(`${endpoint}/test`, {});
  await affkit.jobs.runOnce();
  const deliveries = await call('GET', `${endpoint}/deliveries?status=succeeded`);
  const [delivery] = deliveries.data as unknown as { id: number }[];
  return { ENDPOINT: origin + endpoint, DELIVERY: String(delivery?.id) };
}

async function prepareStripe(): Promise<Variables> {
  await post('/api/advertiser/processor-connections', {
    processor: 'stripe',
    account_id: 'acct_docs',
    webhook_secret: 'whsec_docs',
  });
  return {};
}

/**
 * Gives payout details and a payable commission to the quick start's partner. The PayPal report in `report.csv` is
 * about another payout.
 */
async function preparePayouts(): Promise<Variables> {
  const [, invitation] = /"invite_token":"([^"]+)"/.exec(outputs.get('docs/api.md') ?? '') ?? [];
  const partner = await post('/api/auth/accept-invite', { token: invitation, password: PASSWORD }, '');
  const details = { method: 'paypal', email: 'anna@blog.example', currency: 'USD' };
  await call('PUT', '/api/partner/payout-details', details, String(partner['token']));
  await post(`${PROGRAM}/commissions/1/approve`, {});
  writeFileSync(join(folder, 'report.csv'), 'Unique ID,Status,Amount,Currency\nother,Success,1.00,USD\n');
  return { KEY: await createKey('payout:create', 'payout:update') };
}
