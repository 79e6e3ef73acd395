import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type RunningServer, startProcess } from './process.ts';

/** A server under measurement, with a link to click on. */
export interface Subject {
  readonly name: string;
  readonly server: RunningServer;
  readonly partnerCode: string;
  /** Clicks that the service says it has, or null for the baseline, which keeps none. */
  countClicks(): Promise<number | null>;
}

const PASSWORD = 'bench password of no secret';
const EMAIL = 'owner@bench.example';
const CODE = 'bench';

export async function startBaseline(): Promise<Subject> {
  const script = fileURLToPath(new URL('./express-baseline.ts', import.meta.url));
  return {
    name: 'Express 5, constant answer',
    server: await startProcess(script, {}),
    partnerCode: CODE,
    countClicks: async () => null,
  };
}

/** The reference server as an operator runs it behind a proxy, with the rate limit off. @param workers its processes */
export function startServer(databaseUrl: string, workers = 1): Promise<RunningServer> {
  return startProcess(createRequire(import.meta.url).resolve('@affkit/server/main'), {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    AFFKIT_SECRET: randomBytes(24).toString('hex'),
    ADMIN_EMAIL: EMAIL,
    ADMIN_PASSWORD: PASSWORD,
    TRUST_PROXY: '1',
    PUBLIC_RATE_LIMIT: '0',
    LOG_LEVEL: 'warn',
    WEB_CONCURRENCY: String(workers),
  });
}

/** The reference server on a new database. */
export async function startReference(name: string, databaseUrl: string, workers = 1): Promise<Subject> {
  const server = await startServer(databaseUrl, workers);
  const call = await signIn(server.url);
  const program = await call('POST', '/api/advertiser/affiliate-programs', {
    name: 'Bench',
    site_url: 'https://shop.example',
    commission: { type: 'percent', rate: 20 },
  });
  const partners = `/api/advertiser/affiliate-programs/${program.id}/partners`;
  await call('POST', partners, { name: 'Bench partner', email: 'partner@bench.example', code: CODE });
  return {
    name,
    server,
    partnerCode: CODE,
    countClicks: async () => {
      const rows = (await call('GET', partners)) as unknown as { clicks: number }[];
      return rows.reduce((sum, row) => sum + row.clicks, 0);
    },
  };
}

type Call = (method: string, path: string, body?: unknown) => Promise<{ id: number }>;

async function signIn(url: string): Promise<Call> {
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
    return JSON.parse(text) as { token: string; data: { id: number } };
  };
  const { token } = await send('POST', '/api/auth/login', { email: EMAIL, password: PASSWORD });
  return async (method, path, body) => (await send(method, path, body, token)).data;
}
