import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { makeClient, rejectionOf } from '../../test/client.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { down, saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';
import { FileSpool } from './file-spool.ts';

describe('full spools', () => {
  test('a full spool rejects new events and keeps the stored ones', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit, clock } = startSpool(dir, server, { maxEvents: 2 });
    await affkit.sale(saleOf('a'));
    await affkit.sale(saleOf('b'));
    expect(await rejectionOf(affkit.sale(saleOf('c')))).toMatchObject({
      name: 'AffkitSpoolFullError',
      code: 'spool_full',
      retryable: true,
    });
    server.fault = () => undefined;
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    await affkit.sale(saleOf('c'));
    await affkit.flush();
    expect(server.recorded.map(({ transaction_id }) => transaction_id)).toEqual(['a', 'b', 'c']);
  });

  test('a full spool accepts events again, even after close, once another process has delivered the stored events', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    server.fault = down;
    const { affkit } = startSpool(dir, server, { maxEvents: 1 });
    await affkit.sale(saleOf('a'));
    await affkit.close();
    expect(await rejectionOf(affkit.sale(saleOf('b')))).toMatchObject({ code: 'spool_full' });
    server.fault = () => undefined;
    const other = startSpool(dir, server);
    await other.affkit.flush();
    expect(await affkit.sale(saleOf('b'))).toMatchObject({ status: 'queued' });
    await other.affkit.flush();
    expect(server.log).toEqual(['sale a 200', 'sale b 200']);
  });

  test.each(['open', 'write', 'sync', 'rename', 'folder sync'])(
    'if the disk is full at the step %j, an event is rejected and leaves no draft, and is accepted once there is space',
    async (where) => {
      const dir = makeTempFolder();
      const server = fakeServer();
      server.fault = down;
      let isFull = false;
      const failAt = (what: string) => {
        if (isFull && what === where) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      };
      const spool = new FileSpool(
        { dir },
        {
          ...files,
          open: async (path, flags, mode) => {
            const isDraft = String(path).includes(join(dir, 'tmp'));
            if (isDraft) failAt('open');
            const handle = await files.open(path, flags, mode);
            const { sync, writeFile } = handle;
            return Object.assign(handle, {
              writeFile: async (text: string) => {
                if (isFull && where === 'write') await writeFile.call(handle, text.slice(0, 5));
                failAt('write');
                await writeFile.call(handle, text);
              },
              sync: async () => {
                failAt(isDraft ? 'sync' : 'folder sync');
                await sync.call(handle);
              },
            });
          },
          rename: async (from, to) => {
            failAt('rename');
            await files.rename(from, to);
          },
        },
      );
      const { affkit } = makeClient({ spool, transport: server.transport, maxRetries: 0 });
      onTestFinished(() => affkit.close());
      await affkit.sale(saleOf('a'));
      isFull = true;
      expect(await rejectionOf(affkit.sale(saleOf('b')))).toMatchObject({
        name: 'AffkitSpoolFullError',
        code: 'spool_full',
        cause: { code: 'ENOSPC' },
      });
      expect(filesIn(dir, 'tmp')).toEqual([]);
      isFull = false;
      server.fault = () => undefined;
      await affkit.sale(saleOf('b'));
      await affkit.flush();
      const ids = server.recorded.map(({ transaction_id }) => transaction_id);
      expect(ids.toSorted()).toEqual(['a', 'b']);
    },
  );
});
