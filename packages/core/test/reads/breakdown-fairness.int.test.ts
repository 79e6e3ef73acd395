import { expect, onTestFinished, test } from 'vitest';
import { countBreakdowns } from '../../src/jobs/count-breakdowns.ts';
import { postgresKinds } from '../support/engine-kinds.ts';
import { addProgram, makeWorld } from '../support/world.ts';

/** A turn of the job counts events of this many programs. */
const PROGRAMS_PER_TURN = 50;
/** A turn leaves out one of the 51 programs at random. */
const TURNS = 5;

/** On SQLite, one turn counts the events of all programs, so no program can wait. */
test.each(Object.entries(postgresKinds))(
  'counts the clicks of a program while 50 older programs get clicks all the time on %s',
  async (_kind, open) => {
    const world = await makeWorld(await open());
    onTestFinished(() => world.affkit.close());
    const codes = Array.from({ length: PROGRAMS_PER_TURN }, (_, index) => `partner-${index}`);
    let latest = world.program;
    for (const code of codes) latest = (await addProgram(world, world.workspaceId, code)).program;
    const clickOn = (code = '') => world.click(code, { affiliate_url: `https://other.example/?aff=${code}` });
    const countedOf = async (table: 'breakdown_progress' | 'link_click_progress') =>
      await world.engine.read
        .selectFrom(table)
        .select('click_id')
        .where('program_id', '=', latest.id)
        .executeTakeFirst();
    await clickOn(codes.at(-1));
    for (let turn = 0; turn < TURNS; turn++) {
      await Promise.all([world.click('anna'), ...codes.slice(0, -1).map(clickOn)]);
      await countBreakdowns(world.affkit.runtime);
    }
    expect([await countedOf('breakdown_progress'), await countedOf('link_click_progress')]).toEqual([
      { click_id: expect.any(Number) },
      { click_id: expect.any(Number) },
    ]);
  },
);
