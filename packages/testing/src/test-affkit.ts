import { type Affkit, createAffkit } from '@affkit/core';
import { fetchAdapter } from '@affkit/core/fetch';
import { sqliteEngine } from '@affkit/core/sqlite';
import { makeClock, type TestClock } from './clock.ts';
import { type Faults, makeFaults, withFaults } from './faults.ts';
import { type Manager, makeManager, TestAffkitError } from './manager.ts';

export interface TestAffkitOptions {
  /** Where your code sends to: `AFFKIT_BASE_URL`. @default 'https://affkit.test' */
  readonly baseUrl?: string | undefined;
  /** Fields of the program as `POST /api/advertiser/affiliate-programs` takes them. @default 20 % for 30 days */
  readonly program?: Readonly<Record<string, unknown>> | undefined;
  /** Where the clock begins. @default now */
  readonly startAt?: Date | undefined;
}

/** The part of msw's `http` that is used. */
export interface MswHttp<Handler> {
  all(path: string, resolve: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

/** A commission, as `GET …/commissions` shows it. */
export interface TestCommission {
  readonly id: number;
  readonly transaction_id: string;
  readonly partner_id: number;
  readonly status: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly [field: string]: unknown;
}

/** A partner with one link. */
export interface TestPartner {
  readonly id: number;
  readonly code: string;
  /** Credited and not paid out; what refunds took is gone from it. */
  balanceCents(): Promise<number>;
  /** A visit by the partner's link. @returns the click id, as the cookie `service_click_id` holds it */
  click(fields?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Affkit itself in your tests: the real rules on a database in memory. */
export interface TestAffkit {
  readonly baseUrl: string;
  /** The program's tracking token. */
  readonly token: string;
  readonly programId: number;
  /** For `setupServer(...handlers(http))`; `http` is msw's own. */
  readonly handlers: <Handler>(http: MswHttp<Handler>) => Handler[];
  /** The same without msw: `new Affkit({ fetch })`. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly clock: TestClock;
  readonly faults: Faults;
  /** A partner who may refer visitors. */
  partner(options?: { readonly name?: string; readonly code?: string }): Promise<TestPartner>;
  /** All commissions of the program, the newest first. */
  commissions(): Promise<TestCommission[]>;
  /** Any other route, as the owner; no faults there. */
  readonly manage: Manager['call'];
  close(): Promise<void>;
}

const SECRET = 'the secret of a server in a test, long enough';
const CREDENTIALS = { email: 'owner@affkit.test', password: 'a password for tests alone' };
const PROGRAMS = '/api/advertiser/affiliate-programs';
const PROGRAM = {
  name: 'Test',
  site_url: 'https://shop.test',
  commission: { type: 'percent', rate: 20 },
  cookie_window_days: 30,
};

/** Starts a server with one program. Close it when the test is over. Warnings and errors of the server are on the console. */
export async function createTestAffkit(options: TestAffkitOptions = {}): Promise<TestAffkit> {
  const baseUrl = (options.baseUrl ?? 'https://affkit.test').replace(/\/+$/, '');
  const startMs = options.startAt?.getTime() ?? Date.now();
  const clock: TestClock = makeClock(startMs, () => core.jobs.runOnce());
  const core: Affkit = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: SECRET,
    now: clock.now,
  });
  await core.migrate();
  await core.ensureFirstOwner(CREDENTIALS);
  const serve = fetchAdapter(core, { basePath: new URL(baseUrl).pathname, secure: () => true });
  const manager = makeManager(serve, { baseUrl, now: clock.now, credentials: CREDENTIALS });
  const created = await manager.call('POST', PROGRAMS, { ...PROGRAM, ...options.program });
  const program = created['data'] as { readonly id: number; readonly api_token: string };
  const path = `${PROGRAMS}/${program.id}`;
  const { faults, next } = makeFaults();
  const serveFaulty = withFaults(serve, next);
  let partners = 0;

  return {
    baseUrl,
    token: program.api_token,
    programId: program.id,
    handlers: (http) => [http.all(`${baseUrl}/*`, ({ request }) => serveFaulty(request))],
    fetch: async (url, init) => {
      const reply = await serveFaulty(new Request(url, init));
      // What msw makes of it for the global fetch.
      if (reply.type === 'error') throw new TypeError('fetch failed');
      return reply;
    },
    clock,
    faults,
    async partner({ name, code } = {}) {
      partners += 1;
      const made = await manager.call('POST', `${path}/partners`, {
        name: name ?? `Partner ${partners}`,
        email: `partner-${partners}@affkit.test`,
        code: code ?? `partner-${partners}`,
      });
      return makePartner(made['data'] as PartnerRow, { path, serve, manager, baseUrl });
    },
    async commissions() {
      const all: TestCommission[] = [];
      for (let page = 1; ; page += 1) {
        const reply = await manager.call('GET', `${path}/commissions?page=${page}&pageSize=100`);
        const rows = reply['data'] as TestCommission[];
        all.push(...rows);
        if (rows.length < 100) return all;
      }
    },
    manage: manager.call,
    close: () => core.close(),
  };
}

interface PartnerRow {
  readonly id: number;
  readonly balance_cents: number;
  readonly links: readonly { readonly short_link: string }[];
}

function makePartner(
  row: PartnerRow,
  server: {
    readonly path: string;
    readonly serve: (request: Request) => Promise<Response>;
    readonly manager: Manager;
    readonly baseUrl: string;
  },
): TestPartner {
  const code = row.links[0]?.short_link ?? '';
  return {
    id: row.id,
    code,
    async balanceCents() {
      for (let page = 1; ; page += 1) {
        const reply = await server.manager.call('GET', `${server.path}/partners?page=${page}&pageSize=100`);
        const rows = reply['data'] as PartnerRow[];
        const own = rows.find(({ id }) => id === row.id);
        if (own !== undefined) return own.balance_cents;
        if (rows.length === 0) throw new TestAffkitError(`There is no partner ${row.id}`);
      }
    },
    async click(fields = {}) {
      const body = JSON.stringify({ affiliate_url: `https://shop.test/?aff=${code}`, ...fields });
      const headers = { 'content-type': 'application/json' };
      const reply = await server.serve(
        new Request(`${server.baseUrl}/api/v1/track/click`, { method: 'POST', headers, body }),
      );
      const { click_id: clickId, error, message } = (await reply.json()) as Readonly<Record<string, unknown>>;
      if (typeof clickId === 'string') return clickId;
      throw new TestAffkitError(`The click was refused: ${String(error ?? message)}`);
    },
  };
}
