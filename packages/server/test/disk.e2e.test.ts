import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withDiskFault } from '../../core/test/durability/strace.ts';
import { expectConsistent, prepareDatabase } from './database-fixture.ts';
import { startLoad } from './load.ts';
import { runServer } from './server-process.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-disk-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('with SQLite on a faulty disk', () => {
  test('a slow disk delays only the requests that write, and no event is lost', async () => {
    const { database, token, code, env } = await prepareDatabase(join(folder, 'affkit.db'));
    const server = runServer(env, { through: withDiskFault('delay_enter=200000') });
    const url = `http://127.0.0.1:${await server.listening}`;

    const order: string[] = [];
    const body = JSON.stringify({ affiliate_url: `https://shop.example/?aff=${code}` });
    const headers = { 'content-type': 'application/json', origin: 'https://shop.example' };
    const click = server.send('/api/v1/track/click', { method: 'POST', headers, body });
    const answered = click.then(({ status }) => order.push(`click ${status}`));
    // These sequential requests are answered while the click waits for the disk.
    for (let count = 0; count < 5; count++) {
      const { status } = await server.send('/healthz');
      order.push(`health ${status}`);
    }
    await answered;
    expect(order.slice(0, 2)).toEqual(['health 200', 'health 200']);
    expect(order).toContain('click 200');

    const load = startLoad({ urls: [url], token, code, prefix: 'slow', visitors: 30, buyers: 6 });
    await load.acknowledged(200);
    await load.stop();
    expect([...load.failures.keys()]).toEqual([]);
    server.child.kill('SIGTERM');
    await server.exited;
    await expectConsistent(database, load.lines);
  });

  test('stops writing after one failed sync and has every acknowledged event after a restart', async () => {
    const { database, token, code, env } = await prepareDatabase(join(folder, 'affkit.db'));
    const failing = runServer(env, { through: withDiskFault('error=EIO:when=15') });
    const url = `http://127.0.0.1:${await failing.listening}`;
    const load = startLoad({ urls: [url], token, code, prefix: 'fails', visitors: 12, buyers: 4 });
    // Only the 15th sync fails. The disk then works again, but the server must have stopped writing. After the first
    // 100 failures, another 100 requests must therefore fail, and no event may be acknowledged.
    await load.failed(100);
    const acknowledged = load.lines.length;
    await load.failed(200);
    expect(acknowledged).toBeGreaterThan(20);
    expect(load.lines.length).toBe(acknowledged);
    // The requests in the batch of the failed sync get a 500, because the outcome of the batch is unknown.
    expect([...load.failures.keys()].filter((status) => status !== 500 && status !== 503)).toEqual([]);
    expect(load.failures.get(503)).toBeGreaterThan(100);
    expect(failing.stdout.join('\n')).toContain(
      'Check the disk, then stop all processes that use this database',
    );
    expect((await failing.send('/readyz')).status).toBe(503);

    failing.child.kill('SIGTERM');
    expect(await failing.exited).toBe(0);
    const restarted = runServer(env);
    load.urls = [`http://127.0.0.1:${await restarted.listening}`];
    await load.acknowledged(acknowledged + 200);
    await load.stop();
    await expectConsistent(database, load.lines);
  });
});
