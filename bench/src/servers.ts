import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '@affkit/server';
import { type ProcessOptions, type RunningServer, startProcess } from './process.ts';

/** The first owner in every benchmark database. */
export const OWNER = { email: 'owner@bench.example', password: 'bench password of no secret' };

/** The referral code of the partner that `prepareProgram` creates. */
export const PARTNER_CODE = 'bench';

/** Starts the baseline for clicks, leads, and sales. */
export function startExpress(): Promise<RunningServer> {
  return startProcess(fileURLToPath(new URL('./baselines/express.ts', import.meta.url)), {});
}

/** Starts the baseline on plain `node:http` instead of Express. */
export function startNodeHttp(): Promise<RunningServer> {
  return startProcess(fileURLToPath(new URL('./baselines/node-http.ts', import.meta.url)), {});
}

/** Starts the `node:http` baseline with a database commit before each response. */
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

/** A server that commits before it responds. */
export interface DurableServer extends RunningServer {
  /** Makes commits without HTTP. @returns the mean time of one commit */
  commitMs(amount: number): Promise<number>;
}

/** Options of `startReference`. */
export interface ReferenceOptions extends ProcessOptions {
  /** Number of worker processes. @default 1 */
  readonly workers?: number;
}

/** Starts the reference server with `NODE_FLAGS`, configured for a proxy and without rate limit. */
export function startReference(
  databaseUrl: string,
  { workers = 1, nodeOptions = [], ...options }: ReferenceOptions = {},
): Promise<RunningServer> {
  const script = createRequire(import.meta.url).resolve('@affkit/server/main');
  const env = { ...environment(databaseUrl), WEB_CONCURRENCY: String(workers) };
  return startProcess(script, env, { ...options, nodeOptions: [...NODE_FLAGS, ...nodeOptions] });
}

/** Starts the reference service on Postgres with one transaction per write and a pool of ten connections. */
export function startOneByOne(databaseUrl: string): Promise<RunningServer> {
  return startProcess(
    fileURLToPath(new URL('./baselines/one-by-one.ts', import.meta.url)),
    environment(databaseUrl),
  );
}

/** All servers share one secret, because servers with the same database need the same secret. */
export const SECRET = randomBytes(24).toString('hex');
/** The bearer token of each server's `/metrics`. */
export const METRICS_TOKEN = randomBytes(24).toString('hex');

function environment(databaseUrl: string): Record<string, string> {
  return {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    AFFKIT_SECRET: SECRET,
    METRICS_TOKEN,
    ADMIN_EMAIL: OWNER.email,
    ADMIN_PASSWORD: OWNER.password,
    TRUST_PROXY: '1',
    PUBLIC_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
  };
}

/** A program with one partner on a new server. */
export interface Program {
  readonly id: number;
  readonly token: string;
  readonly code: string;
  /** @throws if the server does not report exactly this number of clicks */
  requireClicks(acknowledged: number): Promise<void>;
}

/** Calls the API of a server, and returns the data of the response. */
export type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>;

/** Signs in as the owner and returns a function that calls the API. */
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
  const { token } = await send('POST', '/api/auth/login', OWNER);
  return async <T>(method: string, path: string, body?: unknown) =>
    (await send(method, path, body, token)).data as T;
}

/**
 * Creates a program with one partner. With `name`, the program gets a separate workspace. The sales of a workspace
 * are written one after the other, so only sales of different workspaces run in parallel.
 */
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
  const code = name ?? PARTNER_CODE;
  await call('POST', partnersPath(program.id), {
    name: 'Bench partner',
    email: `${code}@bench.example`,
    code,
  });
  return {
    id: program.id,
    token: program.api_token,
    code,
    requireClicks: (acknowledged) => requireStoredClicks(call, [program], acknowledged),
  };
}

/** @throws if the server does not report exactly this number of clicks for all programs together */
export async function requireStoredClicks(
  call: Call,
  programs: readonly Pick<Program, 'id'>[],
  acknowledged: number,
): Promise<void> {
  const rows = await Promise.all(
    programs.map(({ id }) => call<{ clicks: number }[]>('GET', partnersPath(id))),
  );
  const stored = rows.flat().reduce((sum, { clicks }) => sum + clicks, 0);
  if (stored !== acknowledged) {
    throw new Error(`${acknowledged} clicks were acknowledged, ${stored} are stored`);
  }
}

function partnersPath(programId: number): string {
  return `/api/advertiser/affiliate-programs/${programId}/partners`;
}
