import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ChainHead, firstHead, nextHead } from '../../src/domain/ledger-chain.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { findUnsealedPrograms, sealProgram } from '../../src/storage/money/ledger-chain.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { atOnce } from '../support/management-world.ts';
import { addProgram, makeWorld, type World } from '../support/world.ts';

/** A program's chain, recomputed: it throws at the first entry that does not stand where it must. */
export async function readChain(engine: Engine, programId: number): Promise<ChainHead> {
  const entries = await engine.read
    .selectFrom('ledger_entries')
    .selectAll()
    .where('program_id', '=', programId)
    .where('chain_position', 'is not', null)
    .orderBy('chain_position')
    .execute();
  let head = firstHead(programId);
  for (const entry of entries) {
    head = nextHead(head, entry);
    expect(entry).toMatchObject({ chain_position: head.position, chain_hash: head.hash });
  }
  return head;
}

export async function readHead(engine: Engine, programId: number): Promise<ChainHead | undefined> {
  return await engine.read
    .selectFrom('ledger_chains')
    .select(['position', 'hash'])
    .where('program_id', '=', programId)
    .executeTakeFirst();
}

/** How entries of the ledger come into their program's chain, on any engine. */
export function ledgerChainContract(kind: string, open: OpenEngine): void {
  describe(`the ledger's chain on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => world.affkit.close());
    const sell = async (id: string) =>
      world.track('sale', { transaction_id: id, amount_cents: 1000, click_id: await world.click('anna') });
    const seal = (programId = world.program.id) =>
      world.engine.write(world.workspaceId, (tx) => sealProgram(tx, programId));
    /** Entries as a sale makes them, without the sale: for lengths that no test could sell. */
    const addEntries = (count: number) =>
      world.engine.write(world.workspaceId, async (tx) => {
        const entry = {
          program_id: world.program.id,
          scope: 'partner' as const,
          partner_id: world.anna.partnerId,
          currency: 'USD',
          kind: 'commission' as const,
          debit_account: 'advertiser_cost' as const,
          credit_account: 'partner_payable' as const,
          created_at: world.clock.now,
        };
        for (let start = 0; start < count; start += 500) {
          const rows = Array.from({ length: Math.min(500, count - start) }, (_, index) => ({
            ...entry,
            amount_cents: start + index + 1,
          }));
          await tx.db.insertInto('ledger_entries').values(rows).execute();
        }
      });

    test('a program without entries has the head of an empty chain', async () => {
      expect(await seal()).toEqual(firstHead(world.program.id));
    });

    test('entries are sealed in their order, once, and what comes later goes on from there', async () => {
      await sell('t1');
      const first = await seal();
      expect(first.position).toBe(2);
      expect(await seal()).toEqual(first);
      await sell('t2');
      await world.track('refund', { transaction_id: 't1' });
      const second = await seal();
      expect(second.position).toBe(6);
      expect(await readChain(world.engine, world.program.id)).toEqual(second);
      expect(await readHead(world.engine, world.program.id)).toEqual(second);
    });

    test('each program has a chain of its own, and the job seals all of them', async () => {
      const other = await addProgram(world, world.workspaceId, 'cora');
      await sell('t1');
      const click_id = await world.click('cora');
      const sale = { transaction_id: 't2', amount_cents: 500, click_id };
      await world.call('POST', '/api/v1/track/sale', sale, { authorization: other.authorization });
      expect(await findUnsealedPrograms(world.engine.read)).toEqual([
        { programId: world.program.id, workspaceId: world.workspaceId },
        { programId: other.program.id, workspaceId: world.workspaceId },
      ]);
      await world.affkit.jobs.runOnce();
      expect(await findUnsealedPrograms(world.engine.read)).toEqual([]);
      for (const { id } of [world.program, other.program]) {
        expect((await readChain(world.engine, id)).position).toBe(2);
      }
    });

    test('what one transaction books is sealed in it, and undone with it', async () => {
      await sell('t1');
      const failing = world.engine.write(world.workspaceId, async (tx) => {
        expect((await sealProgram(tx, world.program.id)).position).toBe(2);
        throw new Error('undone');
      });
      await expect(failing).rejects.toThrow('undone');
      expect(await readHead(world.engine, world.program.id)).toBeUndefined();
      expect(await readChain(world.engine, world.program.id)).toEqual(firstHead(world.program.id));
    });

    test('more than one statement holds is sealed all the same, by the job and in one transaction', async () => {
      await addEntries(2_345);
      await world.affkit.jobs.runOnce();
      expect((await readChain(world.engine, world.program.id)).position).toBe(2_345);
      await addEntries(2_000);
      expect((await seal()).position).toBe(4_345);
      expect((await readChain(world.engine, world.program.id)).position).toBe(4_345);
    });

    test('sealing at once, among sales, leaves one chain without a gap', async () => {
      await atOnce(30, async (index) => (index % 3 === 0 ? await seal() : await sell(`t${index}`)));
      const head = await seal();
      expect(head.position).toBe(40);
      expect(await readChain(world.engine, world.program.id)).toEqual(head);
    });
  });
}
