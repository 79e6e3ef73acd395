import { existsSync } from 'node:fs';
import * as files from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../../core/test/support/make-temp-folder.ts';
import { makeClient, rejectionOf, SALE } from '../../test/client.ts';
import { fakeServer } from '../../test/fake-server.ts';
import { leaveEvent, leaveSale, saleOf, startSpool } from '../../test/spool-client.ts';
import { filesIn } from '../../test/spool-folder.ts';
import { until } from '../../test/until.ts';
import { createDeferred } from '../deferred.ts';
import { FileSpool } from './file-spool.ts';

describe('folders of a spool', () => {
  test.each(['tmp', 'ready', 'dead', '.'])(
    'a call is delivered after the folder %s was removed',
    async (folder) => {
      const dir = makeTempFolder();
      const server = fakeServer();
      const { affkit } = startSpool(dir, server);
      await affkit.sale(saleOf('a'));
      await affkit.flush();
      await files.rm(join(dir, folder), { recursive: true });
      await affkit.sale(saleOf('b'));
      await until(() => server.log.includes('sale b 200'));
      await affkit.flush();
      expect(filesIn(dir, 'ready')).toEqual([]);
      expect(filesIn(dir, 'tmp')).toEqual([]);
    },
  );

  /** Starts a spool in `dir`. Opening a folder fails with the error code if `isFaulty` returns true for it. */
  function startWithFolderFault(dir: string, code: string, isFaulty: (folder: string) => boolean) {
    const server = fakeServer();
    const open: typeof files.open = async (path, flags, mode) => {
      if (flags === 'r' && isFaulty(String(path))) throw Object.assign(new Error('no'), { code });
      return files.open(path, flags, mode);
    };
    const spool = new FileSpool({ dir }, { ...files, open });
    const { affkit } = makeClient({ spool, transport: server.transport, maxRetries: 0 });
    onTestFinished(() => affkit.close());
    return { affkit, server };
  }

  test('a call succeeds if this process has no permission to read the parent folder', async () => {
    const parent = makeTempFolder();
    const dir = join(parent, 'spool');
    const { affkit, server } = startWithFolderFault(dir, 'EACCES', (folder) => folder === parent);
    await affkit.sale(SALE);
    await affkit.flush();
    expect(server.log).toEqual(['sale order-1 200']);
  });

  test.each([
    ['the folder of the spool cannot be read', 'EACCES', 'spool'],
    ['the parent folder cannot be synced', 'EIO', '.'],
  ])('a call throws if %s', async (_what, code, name) => {
    const parent = makeTempFolder();
    const faulty = join(parent, name, '.');
    const { affkit } = startWithFolderFault(
      join(parent, 'spool'),
      code,
      (folder) => join(folder, '.') === faulty,
    );
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
      code: 'spool_unavailable',
      message: `The spool ${join(parent, 'spool')} cannot be written: no (${code}). This call stored no event`,
    });
  });

  test('calls store their events while the folders cannot be listed, up to maxEvents', async () => {
    const dir = makeTempFolder();
    const server = fakeServer();
    let isFaulty = true;
    const readdir = async (path: string) => {
      if (isFaulty) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      return files.readdir(path);
    };
    // The overloads of `readdir` cannot be written as one function.
    const faulty = { ...files, readdir: readdir as typeof files.readdir };
    const spool = new FileSpool({ dir, maxEvents: 2 }, faulty);
    const { affkit, clock } = makeClient({ spool, transport: server.transport, maxRetries: 0 });
    onTestFinished(() => affkit.close());
    await affkit.sale(saleOf('a'));
    await affkit.sale(saleOf('b'));
    expect(await rejectionOf(affkit.sale(saleOf('c')))).toMatchObject({ code: 'spool_full' });
    isFaulty = false;
    await until(
      () => server.recorded.length === 2,
      () => clock.advance(1000),
    );
  });

  test('if ready/ cannot be synced, the error says that the event may still be sent, and a repeat is safe', async () => {
    const dir = makeTempFolder();
    const ready = join(dir, 'ready');
    let isFaulty = false;
    const { affkit, server } = startWithFolderFault(dir, 'EIO', (folder) => isFaulty && folder === ready);
    await affkit.sale(saleOf('a'));
    isFaulty = true;
    expect(await rejectionOf(affkit.sale(SALE))).toMatchObject({
      code: 'spool_unavailable',
      retryable: true,
      message: `The spool ${dir} cannot be written: no (EIO). This event may still be stored and sent. You can safely send it again`,
    });
    await affkit.flush();
    isFaulty = false;
    await affkit.sale(SALE);
    await affkit.flush();
    expect(server.log).toEqual(['sale a 200', 'sale order-1 200', 'sale order-1 409']);
  });
});

describe('concurrent calls', () => {
  /** Starts a spool that writes its first event slowly. `finish` ends the writing. */
  function startWithSlowWrite(dir: string) {
    const server = fakeServer();
    const { promise: written, resolve: finish, reject: fail } = createDeferred<void>();
    let isSlow = true;
    const open: typeof files.open = async (path, flags, mode) => {
      const isFirst = isSlow && flags === 'wx' && String(path).startsWith(join(dir, 'tmp'));
      if (isFirst) {
        isSlow = false;
        await written;
      }
      return files.open(path, flags, mode);
    };
    const spool = new FileSpool({ dir }, { ...files, open });
    const { affkit } = makeClient({ spool, transport: server.transport, maxRetries: 0 });
    onTestFinished(() => affkit.close());
    return { server, affkit, finish, fail };
  }

  const lead = { click_id: 'click', customer_key: SALE.customer_key };

  test('a sale is not sent before a lead whose call came first, even if the lead is written slowly', async () => {
    const dir = makeTempFolder();
    const { server, affkit, finish } = startWithSlowWrite(dir);
    const calls = [affkit.lead(lead), affkit.sale(SALE), affkit.refund({ transaction_id: 'order-1' })];
    // Leave the sale and the refund enough time to be written and sent.
    await setTimeout(100);
    expect(filesIn(dir, 'ready')).toEqual([]);
    finish();
    await Promise.all(calls);
    await affkit.flush();
    expect(server.log).toEqual(['lead click 200', 'sale order-1 200', 'refund order-1 200']);
  });

  test('a sale is stored even if the lead whose call came first cannot be stored', async () => {
    const dir = makeTempFolder();
    const { server, affkit, fail } = startWithSlowWrite(dir);
    const failed = rejectionOf(affkit.lead(lead));
    const stored = affkit.sale(SALE);
    await until(() => existsSync(join(dir, 'tmp')) && filesIn(dir, 'tmp').length === 1);
    fail(Object.assign(new Error('no'), { code: 'EIO' }));
    expect(await failed).toMatchObject({ code: 'spool_unavailable' });
    await stored;
    await affkit.flush();
    expect(server.log).toEqual(['sale order-1 200']);
  });
});

describe('spool files', () => {
  const invalid = { code: 'spool_file_invalid' };
  const unreadable = { code: 'spool_file_unreadable' };

  test.each([
    ['a file that is cut short', '{"operation":"sale"', invalid],
    ['an empty file', '', invalid],
    ['a file with a body that is cut short', '{"operation":"sale","body":"{\\"transaction_id"}', invalid],
    ['a file with a body that is not an object', '{"operation":"sale","body":"null"}', invalid],
    ['a folder', undefined, unreadable],
  ])('%s is moved to dead/ with the reason and delays no other event', async (_what, content, error) => {
    const dir = makeTempFolder();
    const server = fakeServer();
    await leaveSale(dir, server, SALE);
    const [name = ''] = filesIn(dir, 'ready');
    const path = join(dir, 'ready', name);
    await files.rm(path);
    await (content === undefined ? files.mkdir(path) : files.writeFile(path, content));
    await files.writeFile(join(dir, 'ready', 'notes.txt'), 'not an event');
    server.fault = () => undefined;
    const { affkit, clock, dead } = startSpool(dir, server);
    await affkit.sale(saleOf('b'));
    await until(() => server.log.at(-1) === 'sale b 200');
    await until(
      () => dead.length > 0,
      () => clock.advance(1000),
    );
    await affkit.flush();
    expect(dead).toMatchObject([error]);
    expect(filesIn(dir, 'ready')).toEqual(['notes.txt']);
    const [, reason = ''] = filesIn(dir, 'dead');
    expect(JSON.parse(await files.readFile(join(dir, 'dead', reason), 'utf8'))).toMatchObject({ error });
    expect(affkit.stats()).toMatchObject({ queued: 0, dead: 1, heldUpBy: undefined });
  });

  /**
   * Starts a spool that contains one event. The given file system call fails for the file of this event. With
   * `rename`, reading the file fails too, because the spool would deliver a readable file instead of moving it.
   */
  async function startWithFault(
    fault: 'readFile' | 'rename' | 'unlink',
    code: string,
    call: Parameters<typeof leaveEvent>[2] = (affkit) => affkit.sale(saleOf('bad')),
  ) {
    const dir = makeTempFolder();
    const server = fakeServer();
    await leaveEvent(dir, server, call);
    const [bad = ''] = filesIn(dir, 'ready');
    server.fault = () => undefined;
    /** The paths of the failed calls. */
    const failed: string[] = [];
    const failFor = (path: string) => {
      if (!isFaulty || path !== join(dir, 'ready', bad)) return;
      failed.push(path);
      throw Object.assign(new Error('no'), { code });
    };
    let isFaulty = true;
    const dead: unknown[] = [];
    const readFile = async (path: string, encoding: 'utf8') => {
      if (fault !== 'unlink') failFor(path);
      return files.readFile(path, encoding);
    };
    const spool = new FileSpool(
      { dir, onDead: ({ error }) => dead.push(error) },
      {
        ...files,
        // The overloads of `readFile` cannot be written as one function.
        readFile: readFile as typeof files.readFile,
        rename: async (from, to) => {
          if (fault === 'rename') failFor(String(from));
          await files.rename(from, to);
        },
        unlink: async (path) => {
          if (fault === 'unlink') failFor(String(path));
          await files.unlink(path);
        },
      },
    );
    const { affkit, clock } = makeClient({ spool, transport: server.transport, maxRetries: 0 });
    onTestFinished(() => affkit.close());
    const repair = () => {
      isFaulty = false;
    };
    return { dir, server, affkit, clock, dead, failed, repair };
  }

  test('a file is moved to dead/ if this process has no permission to read it', async () => {
    const { affkit, clock, dead, server } = await startWithFault('readFile', 'EACCES');
    await affkit.sale(saleOf('good'));
    await until(
      () => dead.length > 0,
      () => clock.advance(1000),
    );
    await affkit.flush();
    expect(dead).toMatchObject([{ ...unreadable, message: expect.stringContaining('EACCES') }]);
    expect(server.log.slice(-1)).toEqual(['sale good 200']);
  });

  test('a lead whose file cannot be read at first is delivered, and its sale waits for it', async () => {
    const { affkit, clock, dead, failed, server, repair } = await startWithFault(
      'readFile',
      'EIO',
      (client) => client.lead({ click_id: 'clk_1', customer_key: 'key-late' }),
    );
    server.fault = (operation) =>
      operation === 'lead' || server.log.includes('lead clk_1 200')
        ? undefined
        : [400, { error: 'Not found', code: 'sale_customer_not_found' }];
    await affkit.sale(saleOf('late'));
    await until(
      () => failed.length === 4,
      () => clock.advance(1000),
    );
    repair();
    await until(
      () => affkit.stats()?.queued === 0,
      () => clock.advance(1000),
    );
    expect([dead, server.log.slice(-2)]).toEqual([[], ['lead clk_1 200', 'sale late 200']]);
  });

  test('a file that can be neither read nor moved to dead/ remains in ready/ and delays no other event', async () => {
    const { dir, affkit, clock, dead, server, repair } = await startWithFault('rename', 'EACCES');
    for (const id of ['b', 'c', 'd']) {
      await affkit.sale(saleOf(id));
      await until(() => server.log.at(-1) === `sale ${id} 200`);
    }
    // The spool removes the file of the last sale only after the server has replied.
    await until(() => filesIn(dir, 'ready').length === 1);
    repair();
    await until(
      () => server.log.at(-1) === 'sale bad 200',
      () => clock.advance(1000),
    );
    expect(dead).toEqual([]);
  });

  test('a file remains in ready/ while this process has no free file descriptors', async () => {
    const { affkit, clock, dead, server, repair } = await startWithFault('readFile', 'EMFILE');
    await until(() => affkit.stats()?.heldUpBy !== undefined);
    repair();
    await until(
      () => server.log.at(-1) === 'sale bad 200',
      () => clock.advance(1000),
    );
    expect(dead).toEqual([]);
  });

  test('an event is sent again if its file could not be removed, and delays no other event', async () => {
    const { dir, affkit, clock, server, repair } = await startWithFault('unlink', 'EPERM');
    for (const id of ['b', 'c', 'd']) {
      await affkit.sale(saleOf(id));
      await until(() => server.log.at(-1) === `sale ${id} 200`);
    }
    repair();
    await until(
      () => server.log.at(-1) === 'sale bad 409',
      () => clock.advance(1000),
    );
    await affkit.flush();
    expect(filesIn(dir, 'ready')).toEqual([]);
  });
});

test('close resolves if the lock file cannot be removed, because another process then takes over', async () => {
  const dir = makeTempFolder();
  const server = fakeServer();
  const lock = join(dir, 'lock');
  const unlink = async (path: string) => {
    if (path === lock) throw Object.assign(new Error('no'), { code: 'EIO' });
    await files.unlink(path);
  };
  const spool = new FileSpool({ dir }, { ...files, unlink: unlink as typeof files.unlink });
  const { affkit } = makeClient({ spool, transport: server.transport });
  await until(() => affkit.stats()?.isDelivering === true);
  await affkit.close();
  expect([affkit.stats()?.isDelivering, existsSync(lock)]).toEqual([false, true]);
});
