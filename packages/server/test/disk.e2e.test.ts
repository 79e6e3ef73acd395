import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { onDiskWith } from '../../core/test/durability/strace.ts';
import { startCrowd } from './crowd.ts';
import { runServer } from './server-process.ts';
import { expectExact, prepareDatabase } from './world.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-disk-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a SQLite file on a disk', { timeout: 120_000 }, () => {
  test('that is slow holds up who waits for it, nobody else, and nothing is lost', async () => {
    const { database, token, code, env } = await prepareDatabase(join(folder, 'affkit.db'));
    const server = runServer(env, { through: onDiskWith('delay_enter=200000') });
    const url = `http://127.0.0.1:${await server.listening}`;

    const order: string[] = [];
    const body = JSON.stringify({ affiliate_url: `https://shop.example/?aff=${code}` });
    const headers = { 'content-type': 'application/json', origin: 'https://shop.example' };
    const click = server.send('/api/v1/track/click', { method: 'POST', headers, body });
    const answered = click.then(({ status }) => order.push(`click ${status}`));
    // One after the other, and all while the click waits.
    for (let count = 0; count < 5; count++) {
      const { status } = await server.send('/healthz');
      order.push(`health ${status}`);
    }
    await answered;
    expect(order.slice(0, 2)).toEqual(['health 200', 'health 200']);
    expect(order).toContain('click 200');

    const crowd = startCrowd({ urls: [url], token, code, prefix: 'slow', visitors: 30, buyers: 6 });
    await crowd.reached(200);
    await crowd.stop();
    expect([...crowd.refusals.keys()]).toEqual([]);
    server.child.kill('SIGTERM');
    await server.exited;
    await expectExact(database, crowd.lines);
  });

  test('that fails once is written to no more, and what was acknowledged is there after a new start', async () => {
    const { database, token, code, env } = await prepareDatabase(join(folder, 'affkit.db'));
    const failing = runServer(env, { through: onDiskWith('error=EIO:when=15') });
    const url = `http://127.0.0.1:${await failing.listening}`;
    const crowd = startCrowd({ urls: [url], token, code, prefix: 'fails', visitors: 12, buyers: 4 });
    // Syncs would succeed again by now.
    await crowd.refused(100);
    const acknowledged = crowd.lines.length;
    await crowd.refused(200);
    expect(acknowledged).toBeGreaterThan(20);
    expect(crowd.lines.length).toBe(acknowledged);
    // 500 where the outcome is unknown, which is that of one batch.
    expect([...crowd.refusals.keys()].filter((status) => status !== 500 && status !== 503)).toEqual([]);
    expect(crowd.refusals.get(503)).toBeGreaterThan(100);
    expect(failing.stdout.join('\n')).toContain(
      'Check the disk, then stop all processes that use this database',
    );
    expect((await failing.send('/readyz')).status).toBe(503);

    failing.child.kill('SIGTERM');
    expect(await failing.exited).toBe(0);
    const sound = runServer(env);
    crowd.urls = [`http://127.0.0.1:${await sound.listening}`];
    await crowd.reached(acknowledged + 200);
    await crowd.stop();
    await expectExact(database, crowd.lines);
  });
});
