import { expect, onTestFinished, test } from 'vitest';
import { makeClickId } from '../../src/domain/click-id.ts';
import { findWorkspaceProgram } from '../../src/processor/find-workspace-program.ts';
import { insertCustomer } from '../../src/storage/tracking/customers.ts';
import { engineKinds } from '../support/engine-kinds.ts';
import { addProgram, addWorkspaceInSameLane, makeWorld, START, type World } from '../support/world.ts';

/** The id that the imported programs had before. */
const OLD_ID = 9_000;
const BEFORE = { programId: String(OLD_ID), clickId: undefined, customerKey: 'user-1' };

test.each(Object.entries(engineKinds))(
  'the old id of a moved program finds only an imported program of the workspace on %s',
  async (_kind, open) => {
    const world = await makeWorld(await open());
    onTestFinished(() => world.affkit.close());
    const { engine, workspaceId } = world;
    const otherWorkspaceId = await addWorkspaceInSameLane(world);
    const find = (from: number, clickId?: string) =>
      engine.write(from, (tx) => findWorkspaceProgram(tx, from, { ...BEFORE, clickId }));

    const foreign = await addImported(world, otherWorkspaceId, 'foreign');
    expect(await find(workspaceId)).toBe('program_not_found');
    expect(await find(workspaceId, foreign.clickId)).toBe('program_not_found');
    expect(await find(otherWorkspaceId)).toMatchObject({ id: foreign.id });

    const first = await addImported(world, workspaceId, 'first');
    expect(await find(workspaceId)).toMatchObject({ id: first.id });
    const second = await addImported(world, workspaceId, 'second');
    expect(await find(workspaceId)).toBe('program_not_found');
    expect(await find(workspaceId, first.clickId)).toMatchObject({ id: first.id });
    expect(await find(workspaceId, second.clickId)).toMatchObject({ id: second.id });
  },
);

/** Creates a program that had the old id in another installation, with a customer from there. */
async function addImported(world: World, workspaceId: number, name: string) {
  const { engine } = world;
  const { program, partner } = await addProgram(world, workspaceId, name);
  const clickId = makeClickId(OLD_ID, START, (count) => Buffer.alloc(count, program.id));
  await engine.write(program.id, async (tx) => {
    await insertCustomer(tx, {
      program_id: program.id,
      click_id: clickId,
      partner_id: partner.partnerId,
      link_id: 1,
      status: 'lead',
      customer_key: BEFORE.customerKey,
      key_state: 'verified',
      last_click_at: START,
      created_at: START,
    });
    await tx.db
      .insertInto('program_imports')
      .values({
        export_id: name,
        workspace_id: workspaceId,
        program_id: program.id,
        offsets: '{}',
        table_name: null,
        rows_done: 0,
        started_at: START,
        finished_at: START,
      })
      .execute();
  });
  return { id: program.id, clickId };
}
