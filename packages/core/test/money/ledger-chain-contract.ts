import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ChainHead, initialChainHead, nextChainHead } from '../../src/domain/ledger-chain.ts';
import type { Engine } from '../../src/storage/database/engine/engine.ts';
import { findUnsealedPrograms, sealLedger } from '../../src/storage/money/ledger-chain.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { runConcurrently } from '../support/management-world.ts';
import { addProgram, makeWorld, type World } from '../support/world.ts';

/** Recomputes a program's chain and fails at the first entry with a wrong position or hash. */
export async function readChain(engine: Engine, programId: number): Promise<ChainHead> {
  const entries = await engine.read
    .selectFrom('ledger_entries')
    .selectAll()
    .where('program_id', '=', programId)
    .where('chain_position', 'is not', null)
    .orderBy('chain_position')
    .execute();
  let head = initialChainHead(programId);
  for (const entry of entries) {
    head = nextChainHead(head, entry);
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

export function ledgerChainContract(kind: string, open: OpenEngine): void {
  describe(`the ledger's hash chain on ${kind}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await makeWorld(await open());
    });
    afterEach(() => world.affkit.close());
    const sell = async (id: string) =>
      world.track('sale', { transaction_id: id, amount_cents: 1000, click_id: await world.click('anna') });
    const seal = (programId = world.program.id) =>
      world.engine.write(world.workspaceId, (tx) => sealLedger(tx, programId));
    /** Inserts entries without their sales, because thousands of sales would take too long. */
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

    test('returns the head of an empty chain for a program without entries', async () => {
      expect(await seal()).toEqual(initialChainHead(world.program.id));
    });

    test('seals each entry once and in order, and continues the chain with later entries', async () => {
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

    test('creates one chain per program, and the job seals all of them', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      await sell('t1');
      const click_id = await world.click('cora');
      const sale = { transaction_id: 't2', amount_cents: 500, click_id };
      await world.call('POST', '/api/v1/track/sale', sale, { authorization: otherProgram.authorization });
      expect(await findUnsealedPrograms(world.engine.read)).toEqual([
        { programId: world.program.id, workspaceId: world.workspaceId },
        { programId: otherProgram.program.id, workspaceId: world.workspaceId },
      ]);
      await world.affkit.jobs.runOnce();
      expect(await findUnsealedPrograms(world.engine.read)).toEqual([]);
      for (const { id } of [world.program, otherProgram.program]) {
        expect((await readChain(world.engine, id)).position).toBe(2);
      }
    });

    test('sealing is rolled back with its transaction', async () => {
      await sell('t1');
      const failing = world.engine.write(world.workspaceId, async (tx) => {
        expect((await sealLedger(tx, world.program.id)).position).toBe(2);
        throw new Error('rolled back');
      });
      await expect(failing).rejects.toThrow('rolled back');
      expect(await readHead(world.engine, world.program.id)).toBeUndefined();
      expect(await readChain(world.engine, world.program.id)).toEqual(initialChainHead(world.program.id));
    });

    test('seals more entries than fit in one statement, both by the job and in one transaction', async () => {
      await addEntries(2_345);
      await world.affkit.jobs.runOnce();
      expect((await readChain(world.engine, world.program.id)).position).toBe(2_345);
      await addEntries(2_000);
      expect((await seal()).position).toBe(4_345);
      expect((await readChain(world.engine, world.program.id)).position).toBe(4_345);
    });

    test('concurrent sealing and sales leave one chain without gaps', async () => {
      await runConcurrently(30, async (index) => (index % 3 === 0 ? await seal() : await sell(`t${index}`)));
      const head = await seal();
      expect(head.position).toBe(40);
      expect(await readChain(world.engine, world.program.id)).toEqual(head);
    });
  });
}
