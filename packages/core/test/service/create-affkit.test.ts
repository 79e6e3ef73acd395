import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createAffkit } from '../../src/create-affkit.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import type { AffkitOptions } from '../../src/options.ts';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { secretContract } from '../accounts/secret-contract.ts';
import { findMemoryFolder } from '../support/temp-folder.ts';
import { createCaller, makeWorld, SECRET } from '../support/world.ts';

const NO_TABLES = 'The database has no Affkit tables yet. Call affkit.migrate() first.';

afterEach(() => vi.restoreAllMocks());

test('logs errors to the console by default', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: SECRET });
  const reply = await createCaller(affkit)('POST', '/api/auth/login', {
    email: 'a@b.example',
    password: 'x',
  });
  expect(reply.status).toBe(500);
  const fields = {
    err: expect.any(Error),
    request_id: reply.headers['x-request-id'],
    path: '/api/auth/login',
  };
  expect(logged.mock.calls).toEqual([['affkit: request failed', fields]]);
  await affkit.close();
});

test.each(['/api/v1/webhooks/processor/7', '/api/v1/track/click'])(
  'accepts a request to %s that is an instance of a class of the host application',
  async (path) => {
    class HostRequest implements HttpRequest {
      readonly method = 'POST';
      readonly path = path;
      readonly query = new URLSearchParams();
      readonly ip = null;
      readonly secure = true;
      header() {
        return undefined;
      }
      async body() {
        return new Uint8Array();
      }
    }
    const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: SECRET });
    await affkit.migrate();
    const reply = await affkit.handle(new HostRequest());
    expect(reply?.body).toMatchObject({
      code: path.endsWith('click') ? 'affiliate_url_required' : 'not_found',
    });
    await affkit.close();
  },
);

describe('host callbacks that fail', () => {
  const fail = () => {
    throw new Error('a bug in the host application');
  };
  // JavaScript callers can return values of any type.
  const failing: [string, object, object][] = [
    [
      'host callbacks that throw',
      { locate: fail, readDevice: fail, admit: fail },
      { device_type: 'unknown' },
    ],
    [
      'host callbacks that reject',
      {
        locate: () => Promise.reject(new Error('no')),
        readDevice: () => Promise.reject(new Error('no')),
        admit: () => Promise.reject(new Error('no')),
      },
      { device_type: 'unknown' },
    ],
    [
      'host callbacks that omit fields',
      { locate: () => ({ country: 'DE' }), readDevice: () => ({ type: 'phone', os: 7 }) },
      { geo_country: 'DE', device_type: 'phone' },
    ],
    [
      // Postgres would reject the click.
      'host callbacks that return text with NUL',
      { locate: () => ({ country: 'DE\0' }), readDevice: () => ({ type: '\0phone' }) },
      { geo_country: 'DE', device_type: 'phone' },
    ],
  ];
  const NOTHING = {
    geo_country: null,
    geo_region: null,
    geo_city: null,
    device_os: null,
    browser_name: null,
  };

  test.each(failing)('%s never lose a click', async (_how, callbacks, stored) => {
    const world = await makeWorld(sqliteEngine({ path: ':memory:' }), {}, callbacks);
    await world.click(world.anna.code);
    const columns = [
      'geo_country',
      'geo_region',
      'geo_city',
      'device_type',
      'device_os',
      'browser_name',
    ] as const;
    const rows = await world.engine.read.selectFrom('click_events').select(columns).execute();
    expect(rows).toEqual([{ ...NOTHING, ...stored }]);
    await world.affkit.close();
  });

  test('the errors of each host callback are logged as a warning at most once a minute', async () => {
    const warn = vi.fn();
    const logger = { info: () => {}, warn, error: () => {} };
    const options = { locate: fail, readDevice: fail, admit: fail, logger };
    const world = await makeWorld(sqliteEngine({ path: ':memory:' }), {}, options);
    for (const pauseMs of [0, 59_999, 1]) {
      world.clock.now += pauseMs;
      await world.click(world.anna.code);
    }
    const warning = (message: string, times: number) => [
      { err: new Error('a bug in the host application'), times },
      message,
    ];
    const messages = [
      'admit failed: requests are admitted without a rate limit',
      'locate failed: visits are stored without a location',
      'readDevice failed: visits are stored with an unknown device',
    ];
    expect(warn.mock.calls).toEqual(
      [1, 2].flatMap((times) => messages.map((message) => warning(message, times))),
    );
    await world.affkit.close();
  });
});

test('a clock with fractions of milliseconds gives valid click ids, and whole milliseconds are stored', async () => {
  const world = await makeWorld(sqliteEngine({ path: ':memory:' }), {}, { now: () => 1_787_678_610_255.41 });
  expect(await world.click(world.anna.code)).toMatch(/^clk_[0-9a-z]{33}$/);
  const click = world.engine.read.selectFrom('click_events').select(['click_at', 'created_at']);
  expect(await click.execute()).toEqual([{ click_at: 1_787_678_610_255, created_at: 1_787_678_610_255 }]);
  await world.affkit.close();
});

test('tells the caller to migrate when the database has no tables', async () => {
  const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: SECRET });
  await expect(affkit.ensureFirstOwner({ email: 'you@shop.example' })).rejects.toThrow(NO_TABLES);
  await affkit.close();
});

test('the secret is not visible when an Affkit instance is inspected or serialized', async () => {
  const affkit = createAffkit({ engine: sqliteEngine({ path: ':memory:' }), secret: SECRET });
  const shown = [
    inspect(affkit, { depth: null, showHidden: true, getters: true }),
    inspect(affkit.runtime, { depth: null, showHidden: true, getters: true }),
    JSON.stringify(affkit),
    JSON.stringify(affkit.runtime),
  ];
  for (const text of shown) expect(text).not.toContain(SECRET);
  await affkit.close();
});

const MAILER = { from: { address: 'a@shop.example' }, send: async () => {} };

test.each<[object, Error]>([
  [{}, new TypeError('createAffkit: the option "engine" is required')],
  [{ secret: SECRET }, new TypeError('createAffkit: the option "engine" is required')],
  [{ engine: {} }, new TypeError('createAffkit: the option "secret" is required')],
  [{ engine: {}, secret: 'short' }, new RangeError('createAffkit: secret must have at least 32 characters')],
  [
    { engine: {}, secret: SECRET, workspaceCreation: 'admin' },
    new RangeError(`createAffkit: workspaceCreation must be 'owner' or 'anyone', got "admin"`),
  ],
  [
    { engine: {}, secret: SECRET, publicUrl: 'affiliates.example' },
    new RangeError(
      'createAffkit: publicUrl must be an http or https URL without a user, query or fragment, such as https://affiliates.example, got "affiliates.example"',
    ),
  ],
  [
    { engine: {}, secret: SECRET, publicUrl: 'https://a.example/?shop=1' },
    new RangeError(
      'createAffkit: publicUrl must be an http or https URL without a user, query or fragment, such as https://affiliates.example, got "https://a.example/?shop=1"',
    ),
  ],
  [
    { engine: {}, secret: SECRET, mailer: MAILER },
    new TypeError(
      'createAffkit: mailer requires publicUrl. Set it to the URL at which browsers reach the service, because links in emails begin with it.',
    ),
  ],
  [
    { engine: {}, secret: SECRET, publicUrl: 'https://a.example', mailer: { ...MAILER, from: 'me' } },
    new RangeError(
      'createAffkit: mailer.from.address must be an email address, such as affiliates@shop.example, got null',
    ),
  ],
  [
    { engine: {}, secret: SECRET, publicUrl: 'https://a.example', mailer: { from: MAILER.from } },
    new TypeError('createAffkit: mailer.send must be a function'),
  ],
  [
    { engine: {}, secret: SECRET, dashboardUrl: '/app' },
    new RangeError(
      'createAffkit: dashboardUrl must be an http or https URL, such as https://affiliates.example/app, got "/app"',
    ),
  ],
  [
    { engine: {}, secret: SECRET, transactionIds: 'program' },
    new RangeError(`createAffkit: transactionIds must be 'service' or 'workspace', got "program"`),
  ],
  [
    { engine: {}, secret: SECRET, programPages: 'off' },
    new RangeError('createAffkit: programPages must be true or false, got "off"'),
  ],
  [
    { engine: {}, secret: SECRET, captcha: { service: 'recaptcha' } },
    new RangeError(`createAffkit: captcha.service must be 'turnstile' or 'hcaptcha', got "recaptcha"`),
  ],
  [
    { engine: {}, secret: SECRET, captcha: { service: 'hcaptcha', siteKey: 'a', secretKey: '' } },
    new TypeError('createAffkit: captcha.secretKey is required. Copy it from your account at the service.'),
  ],
  [
    {
      engine: {},
      secret: SECRET,
      captcha: { service: 'turnstile', siteKey: 'a', secretKey: 'b', verifyUrl: 'http://proxy.example/' },
    },
    new RangeError(
      'createAffkit: captcha.verifyUrl must be an https URL, or an http URL of this machine, got "http://proxy.example/"',
    ),
  ],
  [
    { engine: {}, secret: SECRET, admitt: () => null },
    new TypeError(
      'createAffkit: unknown option "admitt". Known options: engine, secret, locate, readDevice, logger, admit, verifyApplication, captcha, identityProvider, publicUrl, mailer, payoutProviders, payoutWorkspaces, webhookAllowHosts, dashboardUrl, workspaceCreation, transactionIds, programPages, otherRoutes, telemetry, now, randomBytes.',
    ),
  ],
])('rejects the options %o with an error that names the option', (options, error) => {
  expect(() => createAffkit(options as AffkitOptions)).toThrow(error);
});

describe('the secret of a service on SQLite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(findMemoryFolder(), 'affkit-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  secretContract(() => sqliteEngine({ path: join(folder, 'affkit.db') }));
});
