import { expect, test } from 'vitest';
import { checkSettings } from './check-settings.ts';

const summaryOf = (env: Record<string, string>) =>
  checkSettings(env).map(({ level, message }) => `${level}: ${message}`);

test('reports all invalid and misspelled variables together', () => {
  expect(summaryOf({ PORT: 'abc', GEOIP: 'on', TRUSTPROXY: '1', AFFKIT_SECRET: 'short' })).toEqual([
    'problem: TRUSTPROXY is not a setting. Did you mean TRUST_PROXY? Rename it, or set TRUST_PROXY too.',
    'problem: PORT must be an integer between 0 and 65535, got "abc".',
    'problem: AFFKIT_SECRET must have at least 32 characters.',
    'problem: GEOIP must be geoip-lite, off or the path of an .mmdb file, got "on".',
  ]);
});

test('reports ADMIN_PASSWORD without ADMIN_EMAIL', () => {
  expect(summaryOf({ ADMIN_PASSWORD: 'correct horse' })).toEqual([
    'problem: ADMIN_EMAIL is required together with ADMIN_PASSWORD.',
  ]);
});

test('warns about unknown variables of Affkit, but not about those of the SDK and of Kubernetes', () => {
  const others = {
    AFFKIT_TOKEN: 'x',
    AFFKIT_API_KEY: 'x',
    AFFKIT_SERVICE_HOST: '10.0.0.1',
    AFFKIT_PORT_8787_TCP_ADDR: '10.0.0.1',
  };
  expect(summaryOf({ ...others, AFFKIT_COLOR: 'red', AFFKIT_EMPTY: '' })).toEqual([
    'warning: AFFKIT_COLOR is not a setting of the server, so it has no effect.',
  ]);
  expect(summaryOf({ ...others, HOME: '/root' })).toEqual(['ok: All settings are valid.']);
});
