import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** The pages whose TypeScript is compiled. Other tests run the examples on the pages below `frameworks/`. */
const PAGES = ['README.md', 'docs/*.md', 'docs/guides/*.md', 'packages/*/README.md'];

/** Declarations of names from the reader's app. A block gets those that it uses but does not declare. */
const SURROUNDINGS: Readonly<Record<string, string>> = {
  affkit: `const affkit: import('@affkit/node').Affkit`,
  request: `const request: { readonly cookies: Readonly<Record<string, string | undefined>> }`,
  user: `const user: { readonly id: string; readonly email: string }`,
  payment: `const payment: { id: string; amountCents: number; currency: string; orderId: string }`,
  refund: `const refund: { readonly id: string }`,
  order: `const order: { id: string; userId: number; totalCents: number; affiliateStatus: string }`,
  orders: `const orders: { update(id: string, change: { affiliateStatus: string }): Promise<void> }`,
  clickId: `const clickId: string | undefined`,
  log: `const log: { warn(...details: unknown[]): void; error(...details: unknown[]): void }`,
  alerts: `const alerts: { send(text: string, error: unknown): void }`,
  server: `const server: import('node:http').Server`,
  createServer: `const createServer: typeof import('node:http').createServer`,
  pool: `const pool: import('pg').Pool`,
  Query: `type Query = import('@affkit/node/outbox').Query`,
  Pool: `type Pool = import('mysql2/promise').Pool`,
  PoolConnection: `type PoolConnection = import('mysql2/promise').PoolConnection`,
  RowDataPacket: `type RowDataPacket = import('mysql2/promise').RowDataPacket`,
  transaction: `const transaction: (work: (client: import('pg').PoolClient) => Promise<void>) => Promise<void>`,
  stripe: `const stripe: import('stripe').Stripe`,
  Stripe: `namespace Stripe { type Event = import('stripe').Stripe.Event }`,
  line_items: `const line_items: import('stripe').Stripe.Checkout.SessionCreateParams.LineItem[]`,
  success_url: `const success_url: string`,
  toTrackCall: `const toTrackCall: typeof import('@affkit/node/stripe').toTrackCall`,
  Affkit: `const Affkit: typeof import('@affkit/node').Affkit`,
  AffkitEvent: `type AffkitEvent = import('@affkit/node').AffkitEvent`,
  app: `const app: import('express').Express`,
  express: `const express: typeof import('express')`,
  engine: `const engine: import('@affkit/core').Engine`,
  secret: `const secret: string`,
  expressAdapter: `const expressAdapter: typeof import('@affkit/core/express').expressAdapter`,
  nodeAdapter: `const nodeAdapter: typeof import('@affkit/core/node').nodeAdapter`,
  fetchAdapter: `const fetchAdapter: typeof import('@affkit/core/fetch').fetchAdapter`,
  sales: `const sales: readonly import('@affkit/node').SaleInput[]`,
  since: `const since: Date`,
  salesSince: `const salesSince: (since: Date) => Promise<import('@affkit/node').ListedSale[]>`,
  salesOf: `const salesOf: (ids: readonly string[]) => Promise<import('@affkit/node').ListedSale[]>`,
  paymentIdsAfter: `const paymentIdsAfter: (since: Date, cursor?: string) => Promise<string[]>`,
  markAsPaid: `const markAsPaid: (payoutId: number, sequence?: number) => Promise<void>`,
  signUp: `const signUp: (visit: { cookies: Record<string, string>; userId: string }) => Promise<void>`,
  checkOut: `const checkOut: (order: { userId: string; orderId: string; amountCents: number }) => Promise<void>`,
  expect: `const expect: (value: unknown) => { toBe(value: unknown): void; toMatchObject(value: unknown): void }`,
  yourMailService: `const yourMailService: { send(message: object): Promise<
    { ok: boolean; isPermanentFailure: boolean; reason: string }> }`,
};

const FETCH_REQUEST = `const request: Request`;
const CORE = `const affkit: import('@affkit/core').Affkit`;
const TEST_AFFKIT = `const affkit: Awaited<ReturnType<typeof import('@affkit/testing').createTestAffkit>>`;

/** Other declarations for some blocks. A block is identified by a part of its text. */
const OTHER_SURROUNDINGS: readonly (readonly [part: string, names: Readonly<Record<string, string>>])[] = [
  ['fetchDashboard(', { request: FETCH_REQUEST }],
  ['await answer(request)', { request: FETCH_REQUEST }],
  ['expressDashboard()', { affkit: CORE }],
  ['expressAdapter(affkit)', { affkit: CORE }],
  ['nodeAdapter(affkit', { affkit: CORE }],
  ['fetchAdapter(affkit', { affkit: CORE }],
  ['fetchAdapter<[Context]>(affkit', { affkit: CORE }],
  [
    'NestFactory',
    {
      NestFactory: `const NestFactory: { create(module: unknown): Promise<import('express').Express> }`,
      AppModule: `const AppModule: unknown`,
    },
  ],
  ['context.respond', { app: `const app: InstanceType<typeof import('koa')>` }],
  [
    'getConnInfo',
    {
      app: `const app: import('hono').Hono`,
      Context: `type Context = import('hono').Context`,
      getConnInfo: `const getConnInfo: typeof import('@hono/node-server/conninfo').getConnInfo`,
    },
  ],
  ['outbox.sale(query(transaction)', { transaction: `const transaction: import('pg').PoolClient` }],
  ['fromRequest<Stripe.Event>(request);\nconst call', { request: FETCH_REQUEST }],
  [
    'event.isBase64Encoded',
    {
      event: `const event: { body: string; isBase64Encoded: boolean; headers: Record<string, string | undefined> }`,
    },
  ],
  ['attachTracking, readTracking', { event: `const event: unknown` }],
  ['affkit.clock', { affkit: TEST_AFFKIT }],
  ['affkit.faults', { affkit: TEST_AFFKIT }],
];

/** Writes the TypeScript blocks of the pages into a folder of a project. @returns the paths of the files */
export function writeSamples(project: string): string[] {
  mkdirSync(join(project, 'samples'));
  writeFileSync(join(project, 'samples', 'package.json'), '{"type":"module"}');
  return PAGES.flatMap((pattern) => [...globSync(pattern, { cwd: ROOT })].sort()).flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```(tsx?)\n(.*?)^ *```$/gms)].map(
      ([, indent = '', language, block = ''], index) => {
        const path = join('samples', `${page.replaceAll(/\W+/g, '-')}-${index + 1}.${language}`);
        const code = block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
        writeFileSync(join(project, path), complete(code));
        return path;
      },
    ),
  );
}

/** Declares what the block uses, and replaces each `…`, which asks the reader to fill in values. */
function complete(block: string): string {
  const code = block.replaceAll(/(?<=[{,] )…/g, '...filledIn').replaceAll('…', '');
  const others = OTHER_SURROUNDINGS.filter(([part]) => code.includes(part)).map(([, names]) => names);
  const surroundings = Object.assign({ ...SURROUNDINGS, filledIn: 'const filledIn: any' }, ...others);
  const used = Object.keys(surroundings).filter((name) => isUsed(code, name) && !isDeclared(code, name));
  return `${used.map((name) => `declare ${surroundings[name]};`).join('\n')}\n${code}\nexport {};\n`;
}

function isUsed(code: string, name: string): boolean {
  return new RegExp(`(?<![\\w'/-]|[\\w)\\]]\\??\\.)${name}\\b(?!')`).test(code);
}

/** Whether the block imports the name, or declares it at its top level. */
function isDeclared(code: string, name: string): boolean {
  return new RegExp(
    `^(?:export )?(?:const|let|async function|function) \\{?[^=]*\\b${name}\\b|^import [^;]*\\b${name}\\b[^;]* from`,
    'm',
  ).test(code);
}
