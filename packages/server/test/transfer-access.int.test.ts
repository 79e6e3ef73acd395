import { setTimeout as sleep } from 'node:timers/promises';
import { importProgram } from '@affkit/core';
import { describe, expect, test } from 'vitest';
import { engineKinds } from '../../core/test/support/engine-kinds.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import {
  inviteByLimitedKey,
  openTarget,
  recordHistory,
  whileInvitationsAreUncommitted,
} from '../../core/test/support/transfer-world.ts';
import { createCaller } from '../../core/test/support/world.ts';
import { openExport } from '../src/commands/transfer/export-folder.ts';
import { runExportCommand, runImportCommand } from './transfer-commands.ts';

describe.each(Object.entries(engineKinds))('access to an imported program on %s', (_kind, open) => {
  test('an import ends the invitation that a key without access to the program got for a partner', async () => {
    const { world: source } = await recordHistory(await open(), 10, 20);
    const target = await openTarget(await open(), true, { now: Date.now() });
    const invited = await inviteByLimitedKey(target, 'anna@partner.example');
    const other = await inviteByLimitedKey(target, 'carl@partner.example');
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const { result } = await runImportCommand(target.engine, { folder, workspaceId: null });
    expect(result).toMatchObject({ outcome: 'imported' });
    const call = createCaller(target.affkit);
    const find = (token: string) => call('POST', '/api/auth/invite', { token });
    expect(await find(invited)).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
    expect(await find(other)).toMatchObject({ status: 200 });
    await source.affkit.close();
    await target.affkit.close();
  });

  test('an import ends an invitation that is created while it stores the enrollments', async () => {
    const { world: source } = await recordHistory(await open(), 12, 20);
    const target = await openTarget(await open(), true, { now: Date.now() });
    const token = await inviteByLimitedKey(target, 'anna@partner.example');
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    let imported: ReturnType<typeof runImportCommand> | undefined;
    await whileInvitationsAreUncommitted(target, 'anna@partner.example', async () => {
      imported = runImportCommand(target.engine, { folder, workspaceId: null });
      await Promise.race([imported, sleep(1_000)]);
    });
    expect((await imported)?.result).toMatchObject({ outcome: 'imported' });
    const found = await createCaller(target.affkit)('POST', '/api/auth/invite', { token });
    expect(found).toMatchObject({ status: 400, body: { code: 'invite_invalid' } });
    await source.affkit.close();
    await target.affkit.close();
  });

  test('a partner sees nothing of a program until its import has finished', async () => {
    const { world: source } = await recordHistory(await open(), 11, 40);
    const target = await openTarget(await open(), true, { now: Date.now() });
    const call = createCaller(target.affkit);
    const token = await inviteByLimitedKey(target, 'anna@partner.example');
    const body = { token, password: 'correct horse battery' };
    const { body: session } = await call('POST', '/api/auth/accept-invite', body);
    const headers = { authorization: `Bearer ${String(session['token'])}` };
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const verified = await openExport(folder);
    async function* readRows(table: string) {
      if (table === 'ledger_entries') throw new Error('killed');
      yield* verified.readRows(table);
    }
    const options = { workspaceId: target.workspaceId, now: Date.now };
    const killed = importProgram(target.affkit.runtime, { ...verified, readRows }, options);
    await expect(killed).rejects.toThrow('killed');
    const imports = target.engine.read.selectFrom('program_imports');
    const { program_id: id } = await imports.select('program_id').executeTakeFirstOrThrow();
    const read = async (path: string) => (await call('GET', `/api/partner/${path}`, undefined, headers)).body;
    const records = async () => {
      const { rows } = await sql<{ program_id: number }>`SELECT program_id FROM commissions
        WHERE program_id = ${id} UNION ALL SELECT program_id FROM payouts WHERE program_id = ${id}`.execute(
        target.engine.read,
      );
      return rows.length;
    };
    expect(await records()).toBeGreaterThan(1);
    for (const path of ['commissions', 'commissions/totals', 'payouts', 'balances']) {
      expect(await read(`${path}?program_id=${id}`), path).toMatchObject({ data: [] });
    }
    expect(JSON.stringify(await read('commissions'))).not.toContain(`"program_id":${id}`);
    const exported = await call('GET', '/api/partner/export', undefined, headers);
    expect(await new Response(exported.body as unknown as ReadableStream).text()).not.toMatch(
      new RegExp(`"record":"(?!change)\\w+","data":\\{[^}]*"program_id":${id}\\b`),
    );
    expect((await runImportCommand(target.engine, { folder, workspaceId: null })).code).toBe(0);
    expect(JSON.stringify(await read('commissions'))).toContain(`"program_id":${id}`);
    await source.affkit.close();
    await target.affkit.close();
  });
});
