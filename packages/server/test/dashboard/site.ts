import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Affkit } from '@affkit/core';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { startServer } from '../../src/start-server.ts';

const OWNER = { email: 'owner@shop.example', password: 'correct horse battery' };
const PROGRAMS = '/api/advertiser/affiliate-programs';
const LONG_NAME = `${'Straße ☕️ שלום '.repeat(12)}end`;
const LARGE_AMOUNT = 999_999_999_999;
const LONG_ORDER = `order-4-${'0123456789'.repeat(3)}`;

/** A server with a dashboard, and programs in all states that pages must show. */
export interface DashboardSite {
  readonly url: string;
  readonly owner: typeof OWNER;
  /** A program with partners, sales in five currencies, a refund and a payout. */
  readonly full: number;
  /** The tracking token of the full program. */
  readonly fullToken: string;
  /** A program without any events. */
  readonly empty: number;
  /** The transaction id of a sale in the full program. */
  readonly transactionId: string;
  readonly engine: Affkit['runtime']['engine'];
  /** Calls the API as the owner. */
  call<T>(method: string, path: string, body?: object, token?: string): Promise<T>;
  /** Runs the background jobs once, such as those that store notifications. */
  runJobs(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the server with a new SQLite file, and creates all data through the API.
 * @param environment variables of the server to add or to override
 */
export async function startDashboardSite(
  environment: Readonly<Record<string, string>> = {},
): Promise<DashboardSite> {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-dashboard-'));
  const config = readConfig({
    DATABASE_URL: `sqlite:${join(folder, 'affkit.db')}`,
    PORT: '0',
    GEOIP: 'off',
    PUBLIC_RATE_LIMIT: '0',
    ADMIN_EMAIL: OWNER.email,
    ADMIN_PASSWORD: OWNER.password,
    ...environment,
  });
  const server = await startServer(config, { logger: pino({ level: 'silent' }) });
  let session = '';
  const call = async <T>(method: string, path: string, body?: object, token = session): Promise<T> => {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const reply = (await response.json()) as { data?: unknown; error?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${reply.error}`);
    // The cast is safe because the API documents this shape.
    return (reply.data ?? reply) as T;
  };
  session = (await call<{ token: string }>('POST', '/api/auth/login', OWNER, 'none')).token;
  const empty = await createProgram(call, 'Nothing here yet', 'empty');
  const full = await createProgram(call, `Full ${LONG_NAME}`, 'full');
  const transactionId = await fill(call, full);
  // Run the jobs, so that the breakdowns are counted before a page shows them.
  await server.affkit.jobs.runOnce();
  return {
    url: server.url,
    owner: OWNER,
    full: full.id,
    fullToken: full.api_token,
    empty: empty.id,
    transactionId,
    engine: server.affkit.runtime.engine,
    call,
    runJobs: () => server.affkit.jobs.runOnce(),
    close: async () => {
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

type Call = DashboardSite['call'];

interface CreatedProgram {
  readonly id: number;
  readonly api_token: string;
}

function createProgram(call: Call, name: string, slug: string): Promise<CreatedProgram> {
  return call<CreatedProgram>('POST', PROGRAMS, {
    name: name.slice(0, 200),
    slug,
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
    hold_days: 0,
    allowed_origins: ['*'],
  });
}

/** @returns the transaction id of a sale */
async function fill(call: Call, { id, api_token: token }: CreatedProgram): Promise<string> {
  const path = `${PROGRAMS}/${id}`;
  await call('POST', `${path}/partners`, { name: 'Ana', email: 'ana@partner.example', code: 'ana' });
  await call('POST', `${path}/partners`, {
    name: LONG_NAME.slice(0, 200),
    email: 'long@partner.example',
    code: 'long',
  });
  await call('POST', `${path}/partners`, { name: 'Ben', email: 'ben@partner.example', status: 'pending' });
  await call('POST', `${path}/commission-policies`, {
    type: 'flat',
    amount_cents: 1500,
    product_id: 'kettle',
  });
  const sales = [
    { code: 'ana', currency: 'USD', amount_cents: 1999 },
    { code: 'ana', currency: 'EUR', amount_cents: LARGE_AMOUNT },
    { code: 'long', currency: 'JPY', amount_cents: LARGE_AMOUNT },
    { code: 'long', currency: 'KWD', amount_cents: LARGE_AMOUNT },
    { code: 'long', currency: 'GBP', amount_cents: 4800 },
  ];
  for (const [index, { code, ...sale }] of sales.entries()) {
    const { click_id: clickId } = await call<{ click_id: string }>(
      'POST',
      '/api/v1/track/click',
      {
        affiliate_url: `https://shop.example/?aff=${code}&sub_id=post`,
        referrer_url: 'https://blog.example/',
      },
      token,
    );
    const customer = `customer-${index}`;
    await call('POST', '/api/v1/track/lead', { click_id: clickId, customer_key: customer }, token);
    const transactionId = index === 4 ? LONG_ORDER : `order-${index}`;
    const order = { transaction_id: transactionId, customer_key: customer, ...sale };
    await call('POST', '/api/v1/track/sale', order, token);
  }
  await call('POST', '/api/v1/track/refund', { transaction_id: LONG_ORDER, refund_id: 'refund-1' }, token);
  await call(
    'POST',
    '/api/v1/track/sale',
    { transaction_id: 'order-9', customer_key: 'nobody', amount_cents: 1 },
    token,
  ).catch(() => {});
  return 'order-0';
}
