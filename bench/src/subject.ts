import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '@affkit/server';
import { type ProcessOptions, type RunningServer, startProcess } from './process.ts';

const PASSWORD = 'bench password of no secret';
const EMAIL = 'owner@bench.example';

/** The code of the one link of `prepareProgram`. */
export const CODE = 'bench';

/** Express 5 that parses the same body and answers a constant: what everything is measured against. */
export function startExpress(): Promise<RunningServer> {
  return startProcess(fileURLToPath(new URL('./baselines/express.ts', import.meta.url)), {});
}

/** The same on `node:http` alone. */
export function startNodeHttp(): Promise<RunningServer> {
  return startProcess(fileURLToPath(new URL('./baselines/node-http.ts', import.meta.url)), {});
}

/** The same, with a commit before each answer. */
export async function startDurableHttp(
  databaseUrl: string,
  options: ProcessOptions = {},
): Promise<DurableServer> {
  const script = fileURLToPath(new URL('./baselines/durable-http.ts', import.meta.url));
  const server = await startProcess(script, { DATABASE_URL: databaseUrl }, options);
  return {
    ...server,
    commitMs: async (amount) => {
      const response = await fetch(`${server.url}/commits/${amount}`);
      return 1000 / ((await response.json()) as number);
    },
  };
}

/** A server that commits. */
export interface DurableServer extends RunningServer {
  /** Makes so many commits without HTTP. @returns what one takes on average */
  commitMs(amount: number): Promise<number>;
}

export interface ReferenceOptions extends ProcessOptions {
  /** Its processes. @default 1 */
  readonly workers?: number;
}

/** The reference server as an operator runs it behind a proxy, with `NODE_FLAGS` and no rate limit. */
export function startReference(
  databaseUrl: string,
  { workers = 1, nodeOptions = [], ...options }: ReferenceOptions = {},
): Promise<RunningServer> {
  const script = createRequire(import.meta.url).resolve('@affkit/server/main');
  const env = { ...environment(databaseUrl), WEB_CONCURRENCY: String(workers) };
  return startProcess(script, env, { ...options, nodeOptions: [...NODE_FLAGS, ...nodeOptions] });
}

/** The same service on Postgres with a transaction for each write, over a pool of ten connections. */
export function startOneByOne(databaseUrl: string): Promise<RunningServer> {
  return startProcess(
    fileURLToPath(new URL('./baselines/one-by-one.ts', import.meta.url)),
    environment(databaseUrl),
  );
}

const SECRET = randomBytes(24).toString('hex');

function environment(databaseUrl: string): Record<string, string> {
  return {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    AFFKIT_SECRET: SECRET,
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD: PASSWORD,
    TRUST_PROXY: '1',
    PUBLIC_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
  };
}

/** A program with one partner, on a server that has just started. */
export interface Program {
  readonly id: number;
  readonly token: string;
  readonly code: string;
  /** Clicks that the service says it has. */
  countClicks(): Promise<number>;
}

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Signs in as the first owner. */
export async function signIn(url: string): Promise<Call> {
  const send = async (method: string, path: string, body: unknown, token?: string) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as { token: string; data: unknown };
  };
  const { token } = await send('POST', '/api/auth/login', { email: EMAIL, password: PASSWORD });
  return async <T>(method: string, path: string, body?: unknown) =>
    (await send(method, path, body, token)).data as T;
}

/** Makes a program; in a workspace of its own where `name` is given, for the money of each is a queue of its own. */
export async function prepareProgram(call: Call, name?: string): Promise<Program> {
  const workspace =
    name === undefined
      ? undefined
      : await call<{ id: number }>('POST', '/api/advertiser/workspaces', { name });
  const program = await call<{ id: number; api_token: string }>(
    'POST',
    '/api/advertiser/affiliate-programs',
    {
      name: 'Bench',
      site_url: 'https://shop.example',
      commission: { type: 'percent', rate: 20 },
      ...(workspace && { workspace_id: workspace.id }),
    },
  );
  const code = name ?? CODE;
  const partners = `/api/advertiser/affiliate-programs/${program.id}/partners`;
  await call('POST', partners, { name: 'Bench partner', email: `${code}@bench.example`, code });
  return {
    id: program.id,
    token: program.api_token,
    code,
    countClicks: async () => {
      const rows = await call<{ clicks: number }[]>('GET', partners);
      return rows.reduce((sum, row) => sum + row.clicks, 0);
    },
  };
}
