import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { readConfig } from '../src/config.ts';
import { startServer } from '../src/start-server.ts';
import { runServer } from './server-process.ts';
import { startSmtpServer } from './smtp-server.ts';

const ADMIN = { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'correct horse battery' };
const LEASE_MS = 180_000;

const messageIdOf = (source = '') => /^Message-ID: (.*)$/m.exec(source)?.[1]?.trim();

test('sends an email again, with the same id, if the server was killed before it stored the result', async () => {
  const smtp = await startSmtpServer();
  const folder = makeTempFolder();
  const env = {
    ...ADMIN,
    DATABASE_URL: `sqlite:${join(folder, 'affkit.db')}`,
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'Shop <affiliates@shop.example>',
    PUBLIC_URL: 'https://affiliates.shop.example',
  };
  const sources: string[] = [];
  const killed = new Promise<void>((resolve) => {
    smtp.onMessage = ({ source }) => {
      sources.push(source);
      if (sources.length > 1) return;
      server.child.kill('SIGKILL');
      resolve();
    };
  });
  const server = runServer(env);
  const post = (path: string, body: object) =>
    server.send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const asked = await post('/api/auth/password-reset', { email: ADMIN.ADMIN_EMAIL });
  expect(await asked.json()).toEqual({ success: true, delivery: 'email' });
  await killed;
  await server.exited;

  const config = readConfig({ ...env, PORT: '0', GEOIP: 'off' });
  const logger = pino({ level: 'silent' });
  const restarted = await startServer(config, { logger, now: () => Date.now() + LEASE_MS });
  onTestFinished(() => restarted.stop());
  await expect.poll(() => sources.length).toBe(2);
  expect(messageIdOf(sources[1])).toBe(messageIdOf(sources[0]));
  const links = sources.map((source) => /\/app\/reset#affr_\w+/.exec(source.replaceAll('=\r\n', ''))?.[0]);
  expect(links).toEqual([expect.any(String), links[0]]);
  expect((await fetch(`${restarted.url}/readyz`)).status).toBe(200);
});
