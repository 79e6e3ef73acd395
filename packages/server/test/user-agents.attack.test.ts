import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { byDepth } from '../../core/test/support/test-depth.ts';
import { eventLoopCpuMs } from './process-usage.ts';
import { runServer, type ServerProcess } from './server-process.ts';

const OWNER = { ADMIN_EMAIL: 'owner@shop.example', ADMIN_PASSWORD: 'correct horse battery' };
/** The maximum CPU time that the server may use before it answers another client. */
const MAX_CPU_MS = 1_000;
const CLICKS = byDepth({ short: 400, long: 4_000 });

/** Parts of user agents that cause backtracking in expressions with nested or adjacent repetitions. */
const PARTS = [
  'Mozilla/5.0 (',
  'Linux; Android ',
  'Android 1.1;',
  'Build/',
  'Mobile Safari/',
  'CPU iPhone OS 1_',
  'Windows NT ',
  'Opera/9.80 (',
  'compatible; MSIE ',
  'SmartTV; ',
  ' ; ;',
  'a-',
  '; a ',
  '0',
  '1.',
  '/',
  ' ',
  'x_',
  'é',
];
/** Node accepts up to 16 KiB of headers. */
const LENGTHS = [256, 257, 8_000, 15_000];

test('answers other requests while clicks have hostile user agents', async () => {
  const server = runServer({ ...OWNER, PUBLIC_RATE_LIMIT: '0', LOG_LEVEL: 'error' });
  const click = { affiliate_url: 'https://shop.example/?aff=anna' };
  await addLink(server);
  const userAgents = PARTS.flatMap((head) =>
    PARTS.flatMap((part) => LENGTHS.map((length) => (head + part.repeat(length)).slice(0, length))),
  );
  let isAttacking = true;
  const attack = Promise.all(
    Array.from({ length: 20 }, async (_, sender) => {
      for (let sent = sender; sent < CLICKS; sent += 20) {
        const userAgent = userAgents[(sent * 7) % userAgents.length] ?? '';
        const reply = await post(
          server,
          '/api/v1/track/click',
          { ...click, user_agent: userAgent.slice(0, 1_000) },
          {
            'user-agent': userAgent.replaceAll('é', 'e'),
          },
        );
        expect(reply).toMatchObject({ success: true });
      }
    }),
  ).finally(() => {
    isAttacking = false;
  });
  let mostCpuMs = 0;
  while (isAttacking) {
    const cpuMs = await eventLoopCpuMs(server, async () => {
      expect((await server.send('/healthz')).status).toBe(200);
    });
    mostCpuMs = Math.max(mostCpuMs, cpuMs);
    await sleep(20);
  }
  await attack;
  expect(mostCpuMs).toBeLessThan(MAX_CPU_MS);
});

async function addLink(server: ServerProcess): Promise<void> {
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = OWNER;
  const { token } = await post(server, '/api/auth/login', { email, password });
  const headers = { authorization: `Bearer ${token}` };
  const commission = { type: 'percent', rate: 20 };
  const program = { name: 'Shop', site_url: 'https://shop.example', commission };
  const { data } = await post(server, '/api/advertiser/affiliate-programs', program, headers);
  const partner = { name: 'Anna', email: 'anna@partner.example', code: 'anna' };
  await post(server, `/api/advertiser/affiliate-programs/${data.id}/partners`, partner, headers);
}

async function post(server: ServerProcess, path: string, body: object, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const reply = await server.send(path, { ...init, body: JSON.stringify(body) });
  return (await reply.json()) as { token: string; data: { id: number } };
}
