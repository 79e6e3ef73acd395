import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { startTraffic } from '../../core/test/support/traffic.ts';
import { waitUntil } from '../../core/test/support/wait-until.ts';
import {
  expectConsistent,
  kinds,
  NOW,
  readClicks,
  readFigures,
  readTraces,
  recordHistory,
  runCommand,
  runImport,
} from './retention-world.ts';

describe.each(Object.entries(kinds))('with requests at the same time on %s', (_name, open) => {
  test('two concurrent runs that remove months lose no data and fail no request', async () => {
    const engine = await open();
    const { world, known, clickIds } = await recordHistory(engine, 11);
    const before = await readFigures(world);
    const clicks = await readClicks(engine);
    const traces = await readTraces(world, known);
    const others = clickIds.filter((clickId) => !known.has(clickId));
    const traffic = startTraffic([world], others.slice(0, others.length / 2), { senders: 6 });
    await waitUntil(() => traffic.rounds() >= 3);
    const folder = makeTempFolder();
    const runs = await Promise.all([runCommand(engine, folder), runCommand(engine, folder)]);
    const rounds = traffic.rounds();
    await waitUntil(() => traffic.rounds() >= rounds + 3);
    const sent = await traffic.stop();
    for (const { code, lines } of runs) if (code !== 0) expect(lines.at(-1)).toMatch(/nother (run|process)/);
    expect((await runCommand(engine, folder)).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);

    await world.affkit.jobs.runOnce();
    await expectConsistent(world);
    const stored = (await readClicks(engine)) as { click_at: number; click_id: string }[];
    const live = stored.filter((row) => row.click_at === NOW);
    expect(live.map((row) => row.click_id).sort()).toEqual([...sent.clickIds].sort());
    expect(await readTraces(world, known)).toEqual(traces);
    const leads = await engine.read
      .selectFrom('lead_events')
      .where('lead_at', '=', NOW)
      .select('click_id')
      .execute();
    expect(leads.map((row) => row.click_id).sort()).toEqual([...sent.leads].sort());
    const sales = await engine.read.selectFrom('sales').where('sale_at', '=', NOW).select('id').execute();
    expect(sales).toHaveLength(sent.sales.length);
    const after = await readFigures(world);
    expect(after.tables['daily_totals']).toEqual(expect.arrayContaining(before.tables['daily_totals'] ?? []));

    expect(await runImport(engine, folder)).toMatchObject({ code: 0 });
    const restored = await readClicks(engine);
    expect(restored).toEqual(expect.arrayContaining(clicks));
    expect(restored).toHaveLength(clicks.length + sent.clickIds.length);
    await expectConsistent(world);
    await engine.close();
  });
});
