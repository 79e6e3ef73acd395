import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { environment, readConfig, readDatabaseConfig } from './config.ts';
import { ConfigError } from './config-error.ts';

const DEFAULTS = {
  host: '127.0.0.1',
  port: 8787,
  workers: 1,
  database: { kind: 'sqlite', path: './data/affkit.db' },
  secret: undefined,
  admin: undefined,
  trustProxy: false,
  publicUrl: undefined,
  publicRateLimit: 100,
  logLevel: 'info',
  geoip: { kind: 'geoip-lite' },
  metricsToken: undefined,
  trackerPaths: {},
  dashboard: true,
  identityProvider: undefined,
  mail: undefined,
  captcha: undefined,
  payouts: { paypal: undefined, stripe: undefined, workspaces: [1] },
  workspaceCreation: 'owner',
  webhookAllowHosts: [],
  transactionIds: 'service',
};

test('returns the defaults for an empty environment', () => {
  expect(readConfig({})).toEqual(DEFAULTS);
});

test('the operating guide lists exactly the variables of the schema', () => {
  const guide = readFileSync(new URL('../../../docs/guides/operating.md', import.meta.url), 'utf8');
  const [settings = ''] = guide.slice(guide.indexOf('## Settings')).split('\n## ', 1);
  const rows = settings.split('\n').filter((line) => line.startsWith('| `'));
  const named = rows.flatMap((row) => (row.split('|')[1] ?? '').match(/[A-Z][A-Z_]+/g) ?? []);
  expect(named.sort()).toEqual(Object.keys(environment.shape).sort());
});

test('treats an empty variable as absent', () => {
  expect(readConfig({ PORT: '', DATABASE_URL: ' ', AFFKIT_SECRET: '', TRUST_PROXY: '' })).toEqual(DEFAULTS);
});

test('ignores spaces and line breaks at the ends of a value, except in the secret and the password', () => {
  const secret = `${'s'.repeat(32)}\n`;
  const env = {
    DATABASE_URL: 'sqlite:./data/affkit.db \r',
    AFFKIT_SECRET: secret,
    ADMIN_EMAIL: ' owner@shop.example\n',
    ADMIN_PASSWORD: ' correct horse ',
    METRICS_TOKEN: 'token\n',
    PORT: '8080 ',
  };
  expect(readConfig(env)).toEqual({
    ...DEFAULTS,
    secret,
    admin: { email: 'owner@shop.example', password: ' correct horse ' },
    metricsToken: 'token',
    port: 8080,
  });
  expect(readDatabaseConfig({ DATABASE_URL: 'sqlite:a.db\n' })).toEqual({ kind: 'sqlite', path: 'a.db' });
});

test('accepts a URL with a user and a Unix socket, which has no host', () => {
  const url = 'postgres://affkit:pass@/affkit?host=/run/postgresql';
  expect(readDatabaseConfig({ DATABASE_URL: url, DATABASE_READ_URL: url })).toMatchObject({
    connectionString: url,
  });
});

test('reads every variable', () => {
  const secret = 's'.repeat(32);
  const env = {
    HOST: '0.0.0.0',
    PORT: '0',
    WEB_CONCURRENCY: '4',
    DATABASE_URL: 'postgres://user:pass@db/affkit',
    AFFKIT_SECRET: secret,
    ADMIN_EMAIL: 'owner@shop.example',
    ADMIN_PASSWORD: 'correct horse',
    TRUST_PROXY: '10.0.0.0/8, fd00::/8',
    PUBLIC_URL: 'https://affiliates.shop.example/',
    PUBLIC_RATE_LIMIT: '0',
    LOG_LEVEL: 'debug',
    GEOIP: '/var/lib/city.mmdb',
    METRICS_TOKEN: 'token',
    DATABASE_POOLER: 'transaction',
    DATABASE_READ_URL: 'postgres://user:pass@replica/affkit',
    DASHBOARD: 'on',
    SMTP_URL: 'smtps://shop:p%40ss@mail.example',
    MAIL_FROM: '"Shop, Inc." <a@shop.example>',
    CAPTCHA: 'hcaptcha',
    CAPTCHA_SITE_KEY: '10000000-ffff-ffff-ffff-000000000001',
    CAPTCHA_SECRET_KEY: '0x0000000000000000000000000000000000000000',
    CAPTCHA_SCRIPT_URL: 'https://proxy.example/api.js',
    CAPTCHA_VERIFY_URL: 'http://127.0.0.1:9000/siteverify',
    PAYPAL_CLIENT_ID: 'client',
    PAYPAL_SECRET: 'secret',
    PAYPAL_WEBHOOK_ID: '1JE4291016473214C',
    PAYPAL_API: 'sandbox',
    PAYOUT_WORKSPACES: '2, 3',
    STRIPE_PAYOUT_KEY: 'rk_test_1',
    STRIPE_PAYOUT_WEBHOOK_SECRET: 'whsec_1',
    TRACKER_SCRIPT_PATH: '/a/shop.js',
    TRACKING_PATH: '/a/px',
    JWT_JWKS_URL: 'https://id.example/keys',
    JWT_ISSUER: 'https://id.example',
    JWT_AUDIENCE: 'affkit',
    WORKSPACE_CREATION: 'anyone',
    WEBHOOK_ALLOW_HOSTS: 'hooks.internal, 10.0.0.5:8080',
    TRANSACTION_IDS: 'workspace',
  };
  expect(readConfig(env)).toEqual({
    host: '0.0.0.0',
    port: 0,
    workers: 4,
    database: {
      kind: 'postgres',
      connectionString: 'postgres://user:pass@db/affkit',
      pooler: 'transaction',
      readConnectionString: 'postgres://user:pass@replica/affkit',
    },
    secret,
    admin: { email: 'owner@shop.example', password: 'correct horse' },
    trustProxy: ['10.0.0.0/8', 'fd00::/8'],
    publicUrl: 'https://affiliates.shop.example',
    publicRateLimit: 0,
    logLevel: 'debug',
    geoip: { kind: 'mmdb', path: '/var/lib/city.mmdb' },
    metricsToken: 'token',
    dashboard: true,
    mail: {
      server: {
        host: 'mail.example',
        port: 465,
        security: 'tls',
        credentials: { user: 'shop', password: 'p@ss' },
      },
      from: { address: 'a@shop.example', name: 'Shop, Inc.' },
    },
    trackerPaths: { script: '/a/shop.js', endpoints: '/a/px' },
    identityProvider: {
      jwksUrl: 'https://id.example/keys',
      issuer: 'https://id.example',
      audience: 'affkit',
    },
    captcha: {
      service: 'hcaptcha',
      siteKey: '10000000-ffff-ffff-ffff-000000000001',
      secretKey: '0x0000000000000000000000000000000000000000',
      scriptUrl: 'https://proxy.example/api.js',
      verifyUrl: 'http://127.0.0.1:9000/siteverify',
    },
    payouts: {
      paypal: {
        clientId: 'client',
        secret: 'secret',
        webhookId: '1JE4291016473214C',
        apiUrl: 'https://api-m.sandbox.paypal.com',
      },
      stripe: { secretKey: 'rk_test_1', webhookSecret: 'whsec_1' },
      workspaces: [2, 3],
    },
    workspaceCreation: 'anyone',
    webhookAllowHosts: ['hooks.internal', '10.0.0.5:8080'],
    transactionIds: 'workspace',
  });
});

test.each([
  ['sqlite::memory:', { kind: 'sqlite', path: ':memory:' }],
  ['sqlite:/var/lib/a.db', { kind: 'sqlite', path: '/var/lib/a.db' }],
])('accepts DATABASE_URL %s', (url, database) => {
  expect(readConfig({ DATABASE_URL: url }).database).toEqual(database);
});

test.each([
  ['2', 2],
  ['0', false],
  ['off', false],
  ['192.0.2.1', ['192.0.2.1']],
])('accepts TRUST_PROXY %s', (text, trustProxy) => {
  expect(readConfig({ TRUST_PROXY: text }).trustProxy).toEqual(trustProxy);
});

test('accepts a PUBLIC_URL whose path contains an @', () => {
  const url = 'https://a.example/@shop';
  expect(readConfig({ PUBLIC_URL: `${url}/` }).publicUrl).toBe(url);
});

const MAIL = {
  SMTP_URL: 'smtp://mail.example',
  MAIL_FROM: 'a@shop.example',
  PUBLIC_URL: 'https://a.example',
};

test.each([
  ['smtp://mail.example', { host: 'mail.example', port: 587, security: 'starttls' }],
  ['smtp://mail.example:2525?starttls=optional', { host: 'mail.example', port: 2525, security: 'optional' }],
  ['smtp://[::1]:1025', { host: '::1', port: 1025, security: 'optional' }],
  ['smtps://mail.example:2465', { host: 'mail.example', port: 2465, security: 'tls' }],
])('accepts SMTP_URL %s', (url, server) => {
  expect(readConfig({ ...MAIL, SMTP_URL: url }).mail).toEqual({
    server,
    from: { address: 'a@shop.example' },
  });
});

describe('rejects an invalid value with one line that starts with the variable', () => {
  test.each([
    ['PORT', { PORT: 'http' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '-1' }],
    ['WEB_CONCURRENCY', { WEB_CONCURRENCY: '0' }],
    ['WEB_CONCURRENCY', { WEB_CONCURRENCY: '65' }],
    ['WEB_CONCURRENCY', { WEB_CONCURRENCY: '2', DATABASE_URL: 'sqlite::memory:' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://db' }],
    ['DATABASE_URL', { DATABASE_URL: 'sqlite:' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://a b' }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://user:pa@/ss@db.example/affkit' }],
    ['AFFKIT_SECRET', { AFFKIT_SECRET: 'short' }],
    ['AFFKIT_SECRET', { DATABASE_URL: 'postgres://db/affkit' }],
    ['ADMIN_EMAIL', { ADMIN_EMAIL: 'owner' }],
    ['ADMIN_EMAIL', { ADMIN_EMAIL: `owner@${'shop.'.repeat(50)}example` }],
    ['ADMIN_EMAIL', { ADMIN_PASSWORD: 'correct horse' }],
    ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'short' }],
    ['TRUST_PROXY', { TRUST_PROXY: 'true' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.0/33' }],
    ['TRUST_PROXY', { TRUST_PROXY: '0.0.0.0/0' }],
    ['TRUST_PROXY', { TRUST_PROXY: '10.0.0.1,,' }],
    ['PUBLIC_RATE_LIMIT', { PUBLIC_RATE_LIMIT: '1.5' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
    ['GEOIP', { GEOIP: 'on' }],
    ['SMTP_URL', { ...MAIL, SMTP_URL: 'mail.example:587' }],
    ['SMTP_URL', { ...MAIL, SMTP_URL: 'smtp://user@mail.example' }],
    ['SMTP_URL', { ...MAIL, SMTP_URL: 'smtp://mail.example?starttls=off' }],
    ['SMTP_URL', { ...MAIL, SMTP_URL: 'smtps://mail.example?starttls=optional' }],
    ['SMTP_URL', { ...MAIL, SMTP_URL: 'smtp://u:p%@mail.example' }],
    ['SMTP_URL', { MAIL_FROM: 'a@shop.example' }],
    ['PAYOUT_WORKSPACES', { PAYOUT_WORKSPACES: '1,x' }],
    ['STRIPE_PAYOUT_KEY', { STRIPE_PAYOUT_WEBHOOK_SECRET: 'whsec_1' }],
    ['CAPTCHA_VERIFY_URL', { CAPTCHA_VERIFY_URL: 'http://proxy.example/' }],
    ['CAPTCHA', { CAPTCHA_SITE_KEY: 'key' }],
    ['CAPTCHA_SITE_KEY', { CAPTCHA: 'turnstile', CAPTCHA_SECRET_KEY: 'key' }],
    ['CAPTCHA_SECRET_KEY', { CAPTCHA: 'turnstile', CAPTCHA_SITE_KEY: 'key' }],
    ['PAYPAL_SECRET', { PAYPAL_CLIENT_ID: 'client' }],
    ['PAYPAL_CLIENT_ID is required together with PAYPAL_SECRET', { PAYPAL_SECRET: 'secret' }],
    ['PAYPAL_CLIENT_ID is required together with PAYPAL_WEBHOOK_ID', { PAYPAL_WEBHOOK_ID: 'hook' }],
    ['MAIL_FROM', { ...MAIL, MAIL_FROM: '' }],
    ['MAIL_FROM', { ...MAIL, MAIL_FROM: 'Shop <a@shop.example' }],
    ['MAIL_FROM', { ...MAIL, MAIL_FROM: 'shop' }],
    ['PUBLIC_URL', { ...MAIL, PUBLIC_URL: '' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'a.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://a.example/?shop=1' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://a.example/#top' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://user:pass@a.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://:pass@a.example' }],
    ['DASHBOARD', { ...MAIL, DASHBOARD: 'off' }],
    ['WEBHOOK_ALLOW_HOSTS', { WEBHOOK_ALLOW_HOSTS: 'https://hooks.internal' }],
    ['WEBHOOK_ALLOW_HOSTS', { WEBHOOK_ALLOW_HOSTS: 'a,,b' }],
    ['WEBHOOK_ALLOW_HOSTS', { WEBHOOK_ALLOW_HOSTS: 'hooks.internal:99999' }],
    ['WEBHOOK_ALLOW_HOSTS', { WEBHOOK_ALLOW_HOSTS: '[::1' }],
    ['WORKSPACE_CREATION', { WORKSPACE_CREATION: 'admin' }],
    ['TRANSACTION_IDS', { TRANSACTION_IDS: 'program' }],
    ['JWT_JWKS_URL', { JWT_ISSUER: 'i', JWT_AUDIENCE: 'a' }],
    ['JWT_AUDIENCE', { JWT_ISSUER: 'i', JWT_JWKS_URL: 'https://id.example/keys' }],
    ['JWT_JWKS_URL', { JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', JWT_JWKS_URL: 'file:///keys' }],
  ])('%s in %o', (start, env) => {
    expect(() => readConfig(env)).toThrow(ConfigError);
    expect(() => readConfig(env)).toThrow(new RegExp(`^${start}[ .][^\n]*$`));
  });
});

test.each(['0', '65', 'two'])('rejects WEB_CONCURRENCY %s, and names the bounds and the value', (count) => {
  const read = () => readConfig({ WEB_CONCURRENCY: count });
  expect(read).toThrow(`WEB_CONCURRENCY must be an integer between 1 and 64, got "${count}".`);
});

test('escapes line breaks of the value in the message', () => {
  const read = () => readConfig({ GEOIP: 'on\noff' });
  expect(read).toThrow('GEOIP must be geoip-lite, off or the path of an .mmdb file, got "on\\noff".');
});

test.each([
  ['ADMIN_PASSWORD', { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'hunter2' }],
  ['AFFKIT_SECRET', { AFFKIT_SECRET: 'hunter2' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://user:hunter2@affiliates.shop.example' }],
  ['PUBLIC_URL', { PUBLIC_URL: 'https://user:pass/hunter2@affiliates.shop.example' }],
  ['DATABASE_URL', { DATABASE_URL: 'mysql://user:hunter2@db' }],
  ['SMTP_URL', { SMTP_URL: 'smtp://user:hunter2@mail.example/x' }],
  ['STRIPE_PAYOUT_KEY', { STRIPE_PAYOUT_KEY: 'hunter2' }],
])('does not repeat the secret in %s', (variable, env) => {
  expect(() => readConfig(env)).toThrow(variable);
  expect(() => readConfig(env)).not.toThrow(/hunter2/);
});

test.each([
  ['TRACKER_SCRIPT_PATH', 'shop.js'],
  ['TRACKER_SCRIPT_PATH', '/a/shop'],
  ['TRACKER_SCRIPT_PATH', "/a'/shop.js"],
  ['TRACKING_PATH', '/'],
  ['TRACKING_PATH', '/a/'],
  ['TRACKING_PATH', '/a/../b'],
])('%s rejects %s', (variable, path) => {
  expect(() => readConfig({ [variable]: path })).toThrow(new RegExp(`^${variable} must be a path`));
});
