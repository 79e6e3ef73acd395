import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type Engine, importProgram } from '@affkit/core';
import { describe, expect, test } from 'vitest';
import { engineKinds } from '../../core/test/support/engine-kinds.ts';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { DAY } from '../../core/test/support/payout-world.ts';
import { SEALED } from '../../core/test/support/rare-rows.ts';
import { sql } from '../../core/test/support/raw-sql.ts';
import { markAsRemoved } from '../../core/test/support/remove-month.ts';
import { byDepth } from '../../core/test/support/test-depth.ts';
import {
  expectConsistent,
  openTarget,
  readProgramRecords,
  recordHistory,
  type Target,
  worldOfImport,
} from '../../core/test/support/transfer-world.ts';
import { createCaller, START } from '../../core/test/support/world.ts';
import { runRetention } from '../src/commands/retention/retention-command.ts';
import { runExport } from '../src/commands/transfer/export-command.ts';
import { openExport } from '../src/commands/transfer/export-folder.ts';
import { captureCommand, runHere } from './run-cli.ts';
import { runExportCommand, runImportCommand } from './transfer-commands.ts';

const STEPS = byDepth({ short: 90, long: 600 });
const SEEDS = byDepth({ short: [1], long: [1, 2, 3, 4, 5] });
const kinds = Object.entries(engineKinds);
/** Every pair of a source engine and a target engine. In a short run, only pairs of different engines. */
const routes = kinds
  .flatMap(([from, open]) =>
    kinds.map(([to, openTo], index) => ({ from, to, open, openTo, isUsed: index % 2 === 0 })),
  )
  .filter(({ from, to }) => byDepth({ short: from !== to, long: true }));

describe.each(routes)('a program that moves from $from to $to', ({ open, openTo, isUsed }) => {
  test.each(SEEDS)('has the same records, balances and traces as before (seed %i)', async (seed) => {
    const { world: source, clickIds } = await recordHistory(await open(), seed, STEPS);
    const target = await openTarget(await openTo(), isUsed, source.clock);
    const folder = makeTempFolder();
    const programId = source.program.id;
    const exported = (await runExportCommand(source.engine, { programId, folder })).result;
    const files = exported['files'] as { table: string; rows: number }[];
    expect(files.filter(({ rows }) => rows === 0)).toEqual([]);
    const options = { folder, workspaceId: target.workspaceId };
    const { code, result } = await runImportCommand(target.engine, options);
    expect(result).toMatchObject({ outcome: 'imported', has_new_id: isUsed });
    expect(code).toBe(0);
    const moved = await worldOfImport(target, Number(result['program_id']), source);
    const records = await readProgramRecords(source, clickIds);
    expect(await readProgramRecords(moved, clickIds)).toEqual(records);
    await expectConsistent(target);

    const again = await runImportCommand(target.engine, options);
    expect(again.result).toMatchObject({ outcome: 'already_imported', tracking_token: null });
    expect(await readProgramRecords(moved, clickIds)).toEqual(records);

    // The imported program still works with its tokens, row ids, and click ids.
    const sale = { transaction_id: 'after', amount_cents: 1_000, click_id: clickIds[0] };
    const headers = { authorization: `Bearer ${String(result['tracking_token'])}` };
    expect((await moved.call('POST', '/api/v1/track/sale', sale, headers)).body).toMatchObject({
      success: true,
    });
    await moved.payOut();
    await expectConsistent(target);
    await source.affkit.close();
    await target.affkit.close();
  });
});

describe.each(kinds)('affkit export and import on %s', (_kind, open) => {
  test('an import into an empty installation keeps every id, so the hashes of the ledger chain stay the same', async () => {
    const { world: source } = await recordHistory(await open(), 3, 40);
    const target = await openTarget(await open(), false);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const { result } = await runImportCommand(target.engine, { folder, workspaceId: null });
    expect(result).toMatchObject({ outcome: 'imported', program_id: source.program.id });
    const heads = (engine: typeof source.engine) =>
      engine.read.selectFrom('ledger_chains').selectAll().execute();
    expect(await heads(target.engine)).toEqual(await heads(source.engine));
    await source.affkit.close();
    await target.affkit.close();
  });

  test('an import is rejected when another import of the same export overtakes it, and can be finished later', async () => {
    const { world: source, clickIds } = await recordHistory(await open(), 8, 40);
    const target = await openTarget(await open(), false, source.clock);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const verified = await openExport(folder);
    const run = (beforeTable: (table: string) => Promise<void>) => {
      async function* readRows(table: string) {
        await beforeTable(table);
        yield* verified.readRows(table);
      }
      const options = { workspaceId: target.workspaceId, now: () => START };
      return importProgram(target.affkit.runtime, { ...verified, readRows }, options);
    };
    const overtaken = run(async (overtakenAt) => {
      if (overtakenAt !== 'processor_ties') return;
      const killed = run(async (table) => {
        if (table === 'processor_disputes') throw new Error('killed');
      });
      await expect(killed).rejects.toThrow('killed');
    });
    await expect(overtaken).rejects.toThrow('Another process is importing the same export');

    const { code, result } = await runImportCommand(target.engine, { folder, workspaceId: null });
    expect([code, result['outcome']]).toEqual([0, 'imported']);
    const moved = await worldOfImport(target, Number(result['program_id']), source);
    expect(await readProgramRecords(moved, clickIds)).toEqual(await readProgramRecords(source, clickIds));
    await expectConsistent(target);
    await source.affkit.close();
    await target.affkit.close();
  });

  test('an interrupted import can be finished after retention has removed the months of its clicks', async () => {
    const { world: source } = await recordHistory(await open(), 3, 40);
    const target = await openTarget(await open(), true, source.clock);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const verified = await openExport(folder);
    async function* readRows(table: string) {
      if (table === 'lead_events') throw new Error('killed');
      yield* verified.readRows(table);
    }
    const options = { workspaceId: target.workspaceId, now: () => source.clock.now };
    const killed = importProgram(target.affkit.runtime, { ...verified, readRows }, options);
    await expect(killed).rejects.toThrow('killed');
    await target.affkit.jobs.runOnce();
    const retention = { months: 1, folder: null, now: source.clock.now + 400 * DAY };
    for (let run = 0; run < 2; run++) {
      const { code } = await captureCommand((output) => runRetention(target.engine, retention, output));
      expect(code).toBe(0);
    }

    const { result } = await runImportCommand(target.engine, { folder, workspaceId: null });
    expect(result).toMatchObject({ outcome: 'imported' });
    await expectConsistent(target);
    await source.affkit.close();
    await target.affkit.close();
  });

  test('counts imported clicks even if the target has already removed the clicks of their month', async () => {
    const { world: source } = await recordHistory(await open(), 9, 60);
    const target = await openTarget(await open(), true, source.clock);
    await markAsRemoved(target.engine, START);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const programId = await importWhileServing(target, folder);
    await expectConsistent(target);
    expect(await sumTotals(target.engine, programId)).toEqual(
      await sumTotals(source.engine, source.program.id),
    );
    await source.affkit.close();
    await target.affkit.close();
  });

  test('keeps separate totals for each sub-id if the server counts events during the import', async () => {
    const { world: source } = await recordHistory(await open(), 9, 20);
    for (const [day, sub_id] of ['mail', 'blog', 'mail'].entries()) {
      const click_id = await source.click('anna', { sub_id });
      source.clock.now += DAY;
      const sale = { transaction_id: `of-${sub_id}-${day}`, amount_cents: 5000, click_id };
      expect((await source.track('sale', sale)).status).toBe(200);
    }
    await source.affkit.jobs.runOnce();
    const target = await openTarget(await open(), true, source.clock);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const programId = await importWhileServing(target, folder);
    await expectConsistent(target);
    const totals = await sumTotals(target.engine, programId);
    expect(totals).toEqual(await sumTotals(source.engine, source.program.id));
    expect(totals.filter((row) => row.includes('"value":"mail"'))).toHaveLength(6);
    await source.affkit.close();
    await target.affkit.close();
  });

  test('imports pairs of payment ids that expire during the import', async () => {
    const { world: source } = await recordHistory(await open(), 3, 40);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const clock = { now: START + 402 * DAY };
    const target = await openTarget(await open(), true, clock);
    await importWhileServing(target, folder, clock);
    await expectConsistent(target);
    await source.affkit.close();
    await target.affkit.close();
  });

  test('imports a program if the processor has reported further ids of its payments to the target', async () => {
    const { world: source } = await recordHistory(await open(), 3, 40);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const target = await openTarget(await open(), true, source.clock);
    const { ref, other } = await source.engine.read
      .selectFrom('processor_ties')
      .select(['ref', 'other'])
      .where('ref', '<>', 'ch_1')
      .executeTakeFirstOrThrow();
    const pair = { workspace_id: target.workspaceId, ref, used_at: source.clock.now };
    await target.engine.write(target.workspaceId, (tx) =>
      tx.db
        .insertInto('processor_ties')
        .values([
          { ...pair, other },
          { ...pair, other: 'in_of_target' },
        ])
        .execute(),
    );
    const { result } = await runImportCommand(target.engine, { folder, workspaceId: null });
    expect(result).toMatchObject({ outcome: 'imported' });
    await expectConsistent(target);
    await source.affkit.close();
    await target.affkit.close();
  });

  test('reports values that exist already, and stores nothing', async () => {
    const { world: source } = await recordHistory(await open(), 4, 40);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const before = await source.engine.read.selectFrom('programs').selectAll().execute();
    const { code, result } = await runImportCommand(source.engine, {
      folder,
      workspaceId: source.workspaceId,
    });
    expect(code).toBe(1);
    const clashes = result['clashes'] as { kind: string; value: string }[];
    const kindsOf = new Set(clashes.map(({ kind }) => kind));
    expect(kindsOf).toEqual(
      new Set(['slug', 'link code', 'transaction id', 'payment id', 'charge', 'refund', 'dispute']),
    );
    expect(clashes).toContainEqual({ kind: 'link code', value: 'anna-blog', program_id: source.program.id });
    expect(await source.engine.read.selectFrom('programs').selectAll().execute()).toEqual(before);
    await source.affkit.close();
  });

  test('an export ends with the advice that only the new installation may pay', async () => {
    const { world: source } = await recordHistory(await open(), 5, 20);
    const options = { programId: source.program.id, folder: makeTempFolder(), now: source.clock.now };
    const output = { progress: { show: () => {} }, printLine: () => {} };
    const { data, lines } = await runExport(source.engine, options, output);
    const advice = lines.at(-1);
    expect(advice).toMatch(/^From now on, only the new installation may pay .*set schedule_day to null/);
    expect(data).toMatchObject({ next_step: advice });
    await source.affkit.close();
  });

  test('exports no secrets', async () => {
    const { world: source } = await recordHistory(await open(), 5, 20);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    let text = await readFile(join(folder, 'manifest.json'), 'utf8');
    for (const name of await readdir(folder)) {
      if (name.endsWith('.zst')) text += zstdDecompressSync(await readFile(join(folder, name))).toString();
    }
    expect(text).toContain('anna@partner.example');
    expect(text).toContain('min_payout_cents');
    const { rows } = await sql<{ secret: string }>`SELECT token_hash AS secret FROM tracking_tokens
      UNION ALL SELECT password_hash FROM users UNION ALL SELECT key_hash FROM api_keys`.execute(
      source.engine.read,
    );
    const secrets = [...rows.map(({ secret }) => secret), SEALED.debtor, SEALED.details];
    expect(secrets.length).toBeGreaterThan(4);
    for (const secret of secrets) expect(text).not.toContain(secret);
    await source.affkit.close();
  });

  test('refuses to export while a payout batch is open, or to a folder that contains an export', async () => {
    const { world: source } = await recordHistory(await open(), 6, 20);
    const folder = makeTempFolder();
    const options = { programId: source.program.id, folder };
    await source.engine.write(1, (tx) =>
      tx.db
        .insertInto('payout_batches')
        .values({
          program_id: source.program.id,
          channel: 'file:sepa',
          currency: 'EUR',
          program_name: 'Shop',
          sealed_debtor: null,
          creator_kind: 'system',
          creator_id: null,
          created_at: 1,
          closed_at: null,
          downloaded_at: null,
          cancelled_at: null,
        })
        .execute(),
    );
    const refused = await runExportCommand(source.engine, options);
    expect(refused).toMatchObject({
      code: 1,
      result: { error: expect.stringContaining('1 open payout batch') },
    });
    await source.engine.write(1, (tx) => tx.db.updateTable('payout_batches').set({ closed_at: 2 }).execute());
    expect((await runExportCommand(source.engine, options)).code).toBe(0);
    expect((await runExportCommand(source.engine, options)).result).toEqual({
      error: `${folder} contains an export already. Choose another folder`,
    });
    await source.affkit.close();
  });

  test('refuses a damaged file and an incomplete export', async () => {
    const { world: source } = await recordHistory(await open(), 7, 20);
    const target = await openTarget(await open(), false);
    const folder = makeTempFolder();
    await runExportCommand(source.engine, { programId: source.program.id, folder });
    const path = join(folder, 'sales.ndjson.zst');
    const content = await readFile(path);
    await writeFile(path, content.subarray(0, content.length - 3));
    const damaged = await runImportCommand(target.engine, { folder, workspaceId: null });
    expect(damaged.code).toBe(1);
    expect(damaged.result['error']).toMatch(/sales\.ndjson\.zst (?:cannot be read|is damaged)/);
    const incomplete = await runImportCommand(target.engine, { folder: makeTempFolder(), workspaceId: null });
    expect(incomplete.result['error']).toContain('manifest.json is missing');
    expect(await target.engine.read.selectFrom('programs').selectAll().execute()).toEqual([]);
    await source.affkit.close();
    await target.affkit.close();
  });
});

test('names the folder, not the database, if the folder of an export cannot be used', async () => {
  const folder = makeTempFolder();
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'affkit.db')}` };
  expect(await runHere(settings, 'migrate')).toMatchObject({ code: 0 });
  const file = join(folder, 'file');
  await writeFile(file, '');
  for (const [path, words] of [
    [join(file, 'export'), ['export', '1', '--to', join(file, 'export')]],
    [join(file, 'manifest.json'), ['import', file, '--workspace', '1']],
  ] as const) {
    expect(await runHere(settings, ...words)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^${path} cannot be used: ENOTDIR`)),
    });
  }
});

/** Imports while the server records clicks, and its jobs count events. @returns the id of the imported program */
async function importWhileServing(target: Target, folder: string, clock = { now: START }): Promise<number> {
  const verified = await openExport(folder);
  const call = createCaller(target.affkit);
  async function* readRows(table: string) {
    // This click has a higher id than the clicks of the import, which are stored later.
    const affiliate_url = 'https://other.example/?aff=anna-elsewhere';
    expect((await call('POST', '/api/v1/track/click', { affiliate_url })).status).toBe(200);
    await target.affkit.jobs.runOnce();
    yield* verified.readRows(table);
  }
  const options = { workspaceId: target.workspaceId, now: () => clock.now };
  const { programId } = await importProgram(target.affkit.runtime, { ...verified, readRows }, options);
  return programId;
}

/** Sums up all totals that an import computes. The rows have no ids, because these differ between installations. */
async function sumTotals({ read }: Engine, programId: number): Promise<readonly string[]> {
  const { rows } = await sql<object>`
    SELECT 'day' AS kind, day, measure, '' AS value, SUM(value) AS total FROM daily_totals
      WHERE program_id = ${programId} AND partner_id = 0 GROUP BY 1, 2, 3, 4
    UNION ALL SELECT dimension, day, measure, value, total FROM breakdowns WHERE program_id = ${programId}
    UNION ALL SELECT 'link', day, '', '', SUM(clicks) FROM link_clicks
      WHERE program_id = ${programId} GROUP BY 1, 2, 3, 4
    UNION ALL SELECT 'sub-id', day, measure, sub_id, SUM(total) FROM link_totals
      WHERE program_id = ${programId} GROUP BY 1, 2, 3, 4`.execute(read);
  return rows.map((row) => JSON.stringify(row)).sort();
}
