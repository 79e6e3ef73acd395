import { describe, expect, test } from 'vitest';
import { environment, readConfig, readDatabaseConfig } from './config.ts';
import { findMisspelledVariables } from './misspelled-variable.ts';

const SETTINGS = Object.keys(environment.shape);

describe('a variable that resembles a setting', () => {
  test.each([
    ['DATABASEURL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['AFFKIT_DATABASE_URL', 'DATABASE_URL'],
    ['AFFKIT_PORT', 'PORT'],
    ['AFKIT_SECRET', 'AFFKIT_SECRET'],
    ['TRUSTPROXY', 'TRUST_PROXY'],
    ['PUBLIC_RATELIMTI', 'PUBLIC_RATE_LIMIT'],
    ['WEB_CONCURENCY', 'WEB_CONCURRENCY'],
    ['LOG_LEVL', 'LOG_LEVEL'],
  ])('%s stops the start and suggests %s', (variable, setting) => {
    expect(() => readConfig({ [variable]: 'x' })).toThrow(
      `${variable} is not a setting. Did you mean ${setting}? Rename it, or set ${setting} too.`,
    );
  });

  test('is ignored if the setting is set, or if the variable is empty', () => {
    expect(findMisspelledVariables({ LOGLEVEL: '3', LOG_LEVEL: 'info' }, SETTINGS)).toEqual([]);
    expect(readConfig({ LOGLEVEL: '' })).toEqual(readConfig({}));
  });

  test('stops a command that reads only the database settings, if the variable resembles one of these', () => {
    expect(() => readDatabaseConfig({ DATABASEURL: 'sqlite:a.db' })).toThrow('Did you mean DATABASE_URL?');
    expect(readDatabaseConfig({ TRUSTPROXY: '1' })).toMatchObject({ kind: 'sqlite' });
  });
});

test('does not report variables of shells, containers, or other software as misspelled', () => {
  const others = [
    'HOSTNAME',
    'HOME',
    'POST',
    'PORTS',
    'SECRET',
    'KUBERNETES_PORT',
    'REDIS_URL',
    'AFFKIT_TOKEN',
    'AFFKIT_BASE_URL',
    'AFFKIT_WEBHOOK_SECRET',
    'AFFKIT_EVENTS_SECRET',
    'JWT_SECRET',
    'NODE_ENV',
    'NODE_OPTIONS',
    'npm_config_loglevel',
    'EMAIL',
  ];
  expect(findMisspelledVariables(Object.fromEntries(others.map((name) => [name, 'x'])), SETTINGS)).toEqual(
    [],
  );
});

test('accepts the variables that Kubernetes and Docker set for a service with the name affkit', () => {
  const env = {
    AFFKIT_SERVICE_HOST: '10.96.12.4',
    AFFKIT_SERVICE_PORT: '8787',
    AFFKIT_PORT: 'tcp://10.96.12.4:8787',
    AFFKIT_PORT_8787_TCP: 'tcp://10.96.12.4:8787',
    AFFKIT_PORT_8787_TCP_PROTO: 'tcp',
    AFFKIT_PORT_8787_TCP_PORT: '8787',
    AFFKIT_PORT_8787_TCP_ADDR: '10.96.12.4',
  };
  expect(readConfig(env)).toEqual(readConfig({}));
});
