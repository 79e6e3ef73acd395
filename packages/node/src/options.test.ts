import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { TOKEN } from '../test/client.ts';
import { Affkit } from './affkit.ts';
import { AffkitConfigurationError } from './errors.ts';
import type { AffkitOptions } from './options.ts';

const good = { token: TOKEN, baseUrl: 'https://affkit.test' };

beforeEach(() => {
  for (const name of ['AFFKIT_TOKEN', 'AFFKIT_BASE_URL', 'AFFKIT_WEBHOOK_SECRET'])
    vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

function rejectionOf(options: AffkitOptions): AffkitConfigurationError {
  try {
    new Affkit(options);
  } catch (error) {
    if (error instanceof AffkitConfigurationError) return error;
    throw error;
  }
  throw new Error('The options were accepted');
}

describe('environment variables', () => {
  test('environment variables replace missing options', () => {
    vi.stubEnv('AFFKIT_TOKEN', `${TOKEN}\n`);
    vi.stubEnv('AFFKIT_BASE_URL', 'https://env.test/');
    vi.stubEnv('AFFKIT_WEBHOOK_SECRET', 'whsec_env');
    const affkit = new Affkit();
    expect(affkit.toJSON()).toEqual({ baseUrl: 'https://env.test' });
    const header = affkit.webhooks.sign('{}');
    expect(affkit.webhooks.verify('{}', header, { secret: 'whsec_env' })).toEqual({});
  });

  test('options override environment variables', () => {
    vi.stubEnv('AFFKIT_TOKEN', 'affk_wrong');
    vi.stubEnv('AFFKIT_BASE_URL', 'ftp://env.test');
    expect(new Affkit(good).toJSON()).toEqual({ baseUrl: 'https://affkit.test' });
  });

  test('the error for a missing option names its environment variable', () => {
    vi.stubEnv('AFFKIT_TOKEN', '');
    expect(rejectionOf({ baseUrl: good.baseUrl }).message).toBe(
      'token is required: pass the option token or set AFFKIT_TOKEN',
    );
    expect(rejectionOf({ token: TOKEN }).message).toBe(
      'baseUrl is required: pass the option baseUrl or set AFFKIT_BASE_URL',
    );
  });
});

describe('the token', () => {
  test.each(['affk_0000', 'sk_live_1', 'aff_with space', 'aff_line\nbreak', 'aff_ümlaut'])(
    'the token %j is rejected with an error that does not contain the token',
    (token) => {
      const error = rejectionOf({ ...good, token });
      expect(error.code).toBe('invalid_configuration');
      expect(error.message).toMatch(/^token must be /);
      expect(error.message).not.toContain(token);
    },
  );
});

describe('the base URL', () => {
  test.each([
    ['https://affkit.test/', 'https://affkit.test'],
    ['https://affkit.test/base//', 'https://affkit.test/base'],
    ['http://localhost:8787', 'http://localhost:8787'],
    ['http://affkit.localhost:1', 'http://affkit.localhost:1'],
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787'],
    ['http://127.1.2.3', 'http://127.1.2.3'],
    ['http://[::1]:8787', 'http://[::1]:8787'],
  ])('the URL %s is accepted and becomes %s', (baseUrl, shown) => {
    expect(new Affkit({ ...good, baseUrl }).toJSON()).toEqual({ baseUrl: shown });
  });

  test.each([
    'http://affkit.test',
    'http://127.0.0.1.evil.test',
    'http://localhost.evil.test',
    'http://10.0.0.1',
    'http://0.0.0.0',
    'ftp://affkit.test',
    'affkit.test',
    '',
    'https://user:secret@affkit.test',
    'https://affkit.test/?a=1',
    'https://affkit.test/#a',
  ])('the URL %j is rejected', (baseUrl) => {
    expect(rejectionOf({ ...good, baseUrl }).message).toMatch(/^baseUrl /);
  });
});

describe('other options', () => {
  test.each<[string, AffkitOptions]>([
    ['timeoutMs', { timeoutMs: 0 }],
    ['timeoutMs', { timeoutMs: Number.NaN }],
    ['timeoutMs', { timeoutMs: 2 ** 31 }],
    ['deadlineMs', { deadlineMs: 1.5 }],
    ['maxRetries', { maxRetries: -1 }],
    ['fetch', { fetch, transport: () => Promise.reject(new Error('unused')) }],
  ])('an invalid %s is rejected with a message that starts with its name', (name, options) => {
    expect(rejectionOf({ ...good, ...options }).message).toMatch(new RegExp(`^${name} `));
  });

  test('an unknown option is rejected', () => {
    const options = { ...good, timeout: 5 };
    expect(rejectionOf(options).message).toMatch(/^Unknown option timeout\. Valid options: token, baseUrl, /);
    const inherited = { ...good, toString: 5 };
    expect(rejectionOf(inherited as unknown as AffkitOptions).message).toMatch(/^Unknown option toString\./);
  });

  test('an invalid log level is rejected', () => {
    const options = { ...good, logLevel: 'verbose' };
    expect(rejectionOf(options as unknown as AffkitOptions).message).toMatch(/^logLevel must be /);
  });
});
