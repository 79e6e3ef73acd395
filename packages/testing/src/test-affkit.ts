import { type Affkit, createAffkit, type Engine } from '@affkit/core';
import { fetchAdapter } from '@affkit/core/fetch';
import { sqliteEngine } from '@affkit/core/sqlite';
import { createClock, type TestClock } from './clock.ts';
import { createFaults, type Faults, withFaults } from './faults.ts';
import { createManager, type Manager, TestAffkitError } from './manager.ts';

/** The options of {@link createTestAffkit}. */
export interface TestAffkitOptions {
  /**
   * The `baseUrl` (`AFFKIT_BASE_URL`) of the code under test.
   *
   * @default 'https://affkit.test'
   */
  readonly baseUrl?: string | undefined;
  /**
   * Fields of the program, as in the body of `POST /api/advertiser/affiliate-programs`. They override the
   * defaults, which are a commission of 20% and an attribution window of 30 days.
   */
  readonly program?: Readonly<Record<string, unknown>> | undefined;
  /**
   * The initial time of the clock.
   *
   * @default now
   */
  readonly startAt?: Date | undefined;
}

/** The part of msw's `http` that {@link TestAffkit.handlers} uses. */
export interface MswHttp<Handler> {
  all(path: string, resolve: (info: { readonly request: Request }) => Promise<Response>): Handler;
}

/** A commission, with fields of the reply of `GET …/commissions`. */
export interface TestCommission {
  readonly id: number;
  readonly transaction_id: string;
  readonly partner_id: number;
  readonly status: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly [field: string]: unknown;
}

/** A partner with one referral link. */
export interface TestPartner {
  readonly id: number;
  /** The code of the referral link. */
  readonly code: string;
  /** The unpaid balance in cents. Refunds are already deducted. */
  balanceCents(): Promise<number>;
  /**
   * Records a visit through the partner's referral link.
   *
   * @param fields fields to add to the click request or to replace in it
   * @returns the click id, as in the cookie `service_click_id`
   * @throws TestAffkitError if the server rejects the click
   */
  click(fields?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** A test server: the real Affkit core on an in-memory database. */
export interface TestAffkit {
  /** The URL of the server. Pass it to the SDK. */
  readonly baseUrl: string;
  /** The tracking token of the program. Pass it to the SDK. */
  readonly token: string;
  readonly programId: number;
  /** Creates msw handlers: `setupServer(...server.handlers(http))`, with `http` of msw. */
  readonly handlers: <Handler>(http: MswHttp<Handler>) => Handler[];
  /**
   * A `fetch` for use without msw, for example `new Affkit({ fetch: server.fetch })`. If no response arrives,
   * it rejects like the global `fetch`.
   */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  readonly clock: TestClock;
  readonly faults: Faults;
  /** Creates a partner who can refer visitors. */
  partner(options?: { readonly name?: string; readonly code?: string }): Promise<TestPartner>;
  /** All commissions of the program, newest first. */
  commissions(): Promise<TestCommission[]>;
  /** Creates a management key with all scopes, for `AffkitManagement` of `@affkit/node/management`. */
  createApiKey(): Promise<string>;
  /** Calls any other API route as the owner of the workspace. Faults do not affect these calls. */
  readonly manage: Manager['call'];
  /** Stops the server and closes its database. */
  close(): Promise<void>;
}

const TEST_SERVER_SECRET = 'test-server-secret-of-32-characters-or-more';
const TEST_CREDENTIALS = { email: 'owner@affkit.test', password: 'password for tests only' };
const TEST_PROGRAMS_PATH = '/api/advertiser/affiliate-programs';
const TEST_PROGRAM = {
  name: 'Test',
  site_url: 'https://shop.test',
  commission: { type: 'percent', rate: 20 },
  cookie_window_days: 30,
};

/**
 * Starts a test server with one program. Close it after the test. Its warnings and errors are logged to the
 * console.
 *
 * @example
 * ```ts
 * const server = await createTestAffkit();
 * const affkit = new Affkit({ token: server.token, baseUrl: server.baseUrl, fetch: server.fetch });
 *
 * const partner = await server.partner();
 * await affkit.lead({ click_id: await partner.click(), customer_key: 'user-1' });
 * await affkit.sale({ transaction_id: 'order-1', amount_cents: 10_000, customer_key: 'user-1' });
 * expect(await partner.balanceCents()).toBe(2_000);
 * await server.close();
 * ```
 */
export function createTestAffkit(options: TestAffkitOptions = {}): Promise<TestAffkit> {
  return startTestAffkit(sqliteEngine({ path: ':memory:' }), options);
}

/**
 * Starts a test server on an empty database. `close` also closes the engine.
 * @internal
 */
export async function startTestAffkit(engine: Engine, options: TestAffkitOptions): Promise<TestAffkit> {
  const baseUrl = (options.baseUrl ?? 'https://affkit.test').replace(/(^|[^/])\/+$/, '$1');
  const startMs = options.startAt?.getTime() ?? Date.now();
  const clock: TestClock = createClock(startMs, () => core.jobs.runOnce());
  const core: Affkit = createAffkit({
    engine,
    secret: TEST_SERVER_SECRET,
    now: clock.now,
  });
  await core.migrate();
  await core.ensureFirstOwner(TEST_CREDENTIALS);
  const serve = fetchAdapter(core, { basePath: new URL(baseUrl).pathname, secure: () => true });
  const manager = createManager(serve, { baseUrl, now: clock.now, credentials: TEST_CREDENTIALS });
  const created = await manager.call('POST', TEST_PROGRAMS_PATH, { ...TEST_PROGRAM, ...options.program });
  const program = created['data'] as { readonly id: number; readonly api_token: string };
  const path = `${TEST_PROGRAMS_PATH}/${program.id}`;
  const { faults, next } = createFaults();
  const serveWithFaults = withFaults(serve, next);
  let partners = 0;

  return {
    baseUrl,
    token: program.api_token,
    programId: program.id,
    handlers: (http) => [http.all(`${baseUrl}/*`, ({ request }) => serveWithFaults(request))],
    fetch: async (url, init) => {
      const response = await serveWithFaults(new Request(url, init));
      // With msw, the global `fetch` rejects in the same way.
      if (response.type === 'error') throw new TypeError('fetch failed');
      return response;
    },
    clock,
    faults,
    async partner({ name, code } = {}) {
      partners += 1;
      const createdPartner = await manager.call('POST', `${path}/partners`, {
        name: name ?? `Partner ${partners}`,
        email: `partner-${partners}@affkit.test`,
        code: code ?? `partner-${partners}`,
      });
      return toTestPartner(createdPartner['data'] as PartnerRow, { path, serve, manager, baseUrl });
    },
    async commissions() {
      const all: TestCommission[] = [];
      for (let page = 1; ; page += 1) {
        const body = await manager.call('GET', `${path}/commissions?page=${page}&pageSize=100`);
        const rows = body['data'] as TestCommission[];
        all.push(...rows);
        if (rows.length < 100) return all;
      }
    },
    async createApiKey() {
      const issued = await manager.call('POST', '/api/advertiser/api-keys', { name: 'Test' });
      return (issued['data'] as { readonly key: string }).key;
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

function toTestPartner(
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
        const body = await server.manager.call('GET', `${server.path}/partners?page=${page}&pageSize=100`);
        const rows = body['data'] as PartnerRow[];
        const partnerRow = rows.find(({ id }) => id === row.id);
        if (partnerRow !== undefined) return partnerRow.balance_cents;
        if (rows.length === 0) throw new TestAffkitError(`The partner ${row.id} was not found`);
      }
    },
    async click(fields = {}) {
      const body = JSON.stringify({ affiliate_url: `https://shop.test/?aff=${code}`, ...fields });
      const headers = { 'content-type': 'application/json' };
      const response = await server.serve(
        new Request(`${server.baseUrl}/api/v1/track/click`, { method: 'POST', headers, body }),
      );
      const {
        click_id: clickId,
        error,
        message,
      } = (await response.json()) as Readonly<Record<string, unknown>>;
      if (typeof clickId === 'string') return clickId;
      throw new TestAffkitError(`The server rejected the click: ${String(error ?? message)}`);
    },
  };
}
