import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/reporting/verify-ledger.ts';
import { postPayoutStep } from '../../src/storage/money/ledger.ts';
import { sealLedger } from '../../src/storage/money/ledger-chain.ts';
import { usesCitus } from '../support/citus-server.ts';
import type { OpenEngine } from '../support/engine-kinds.ts';
import { addProgram, makeWorld, signInOwner, type World } from '../support/world.ts';

const TRIGGERS = ['ledger_entries_are_kept', 'ledger_entries_are_final', 'ledger_entries_are_sealed_once'];

/** After this statement, Citus also runs the later `SET LOCAL` statements of the transaction on the workers. */
const ON_WORKERS_TOO = "SET LOCAL citus.propagate_set_commands = 'local'";

const REPLACED = `INSERT OR REPLACE INTO ledger_entries SELECT * FROM ledger_entries WHERE id = 1`;

export function ledgerAuditContract(kind: string, open: OpenEngine): void {
  describe(`verifyLedger on ${kind}`, () => {
    let world: World;
    let ids: { kept: number; refunded: number; partly: number; rejected: number; paid: number };
    let payoutId: number;
    const verify = async (programId: number | null = world.program.id) =>
      await verifyLedger(world.affkit.runtime, programId);
    const faultOf = async () => (await verify()).fault;
    const sell = async (id: string) => {
      const sale = { transaction_id: id, amount_cents: 1000, click_id: await world.click('anna') };
      return Number((await world.track('sale', sale)).body['commission_id']);
    };
    const tamper = (statement: string) =>
      world.engine.write(world.workspaceId, async (tx) => {
        // In the role `replica`, Postgres runs no triggers, so the test need not change the schema.
        const unguard =
          tx.dialect === 'postgres'
            ? [...(usesCitus ? [ON_WORKERS_TOO] : []), 'SET LOCAL session_replication_role = replica']
            : TRIGGERS.map((trigger) => `DROP TRIGGER IF EXISTS ${trigger}`);
        for (const step of unguard) await sql.raw(step).execute(tx.db);
        await sql.raw(statement).execute(tx.db);
      });
    /** Stores a payout of one commission. The payout contains the current head of the hash chain. */
    const payOut = (commissionId: number, status: 'pending' | 'paid') =>
      world.engine.write(world.workspaceId, async (tx) => {
        const at = world.clock.now;
        const row = {
          program_id: world.program.id,
          partner_id: world.anna.partnerId,
          currency: 'USD',
          status,
          amount_cents: 200,
          created_at: at,
          paid_at: status === 'paid' ? at : null,
        };
        const { id } = await tx.db
          .insertInto('payouts')
          .values(row)
          .returning('id')
          .executeTakeFirstOrThrow();
        const paid = status === 'paid' && { status, paid_at: at };
        await tx.db
          .updateTable('commissions')
          .set({ payout_id: id, ...paid })
          .where('id', '=', commissionId)
          .execute();
        const subject = {
          programId: row.program_id,
          partnerId: row.partner_id,
          currency: 'USD',
          payoutId: id,
          at,
        };
        await postPayoutStep(tx, subject, 'take', 200);
        if (status === 'paid') await postPayoutStep(tx, subject, 'pay', 200);
        const head = await sealLedger(tx, world.program.id);
        await tx.db
          .updateTable('payouts')
          .set({ chain_position: head.position, chain_hash: head.hash })
          .where('id', '=', id)
          .execute();
        return id;
      });

    beforeEach(async () => {
      world = await makeWorld(await open());
      const session = await signInOwner(world);
      ids = {
        kept: await sell('t1'),
        refunded: await sell('t2'),
        partly: await sell('t3'),
        rejected: await sell('t4'),
        paid: await sell('t5'),
      };
      await world.track('refund', { transaction_id: 't2' });
      await world.track('refund', { transaction_id: 't3', refund_amount_cents: 500 });
      const path = `/api/advertiser/affiliate-programs/${world.program.id}/commissions/${ids.rejected}/reject`;
      await world.call('POST', path, undefined, session);
      payoutId = await payOut(ids.paid, 'paid');
      await payOut(ids.kept, 'pending');
    });
    afterEach(() => world.affkit.close());

    test('reports no fault in rows that the service wrote, for one program and for all', async () => {
      const otherProgram = await addProgram(world, world.workspaceId, 'cora');
      const sale = { transaction_id: 't9', amount_cents: 500, click_id: await world.click('cora') };
      await world.call('POST', '/api/v1/track/sale', sale, { authorization: otherProgram.authorization });
      const ownReport = { fault: null, programs: 1, entries: 22, unsealed: 0, commissions: 5, payouts: 2 };
      expect(await verify()).toEqual(ownReport);
      expect(await verify(otherProgram.program.id)).toEqual({
        ...ownReport,
        entries: 2,
        unsealed: 2,
        commissions: 1,
        payouts: 0,
      });
      expect(await verify(null)).toEqual({
        ...ownReport,
        programs: 2,
        entries: 24,
        unsealed: 2,
        commissions: 6,
      });
    });

    test('accepts entries that are not sealed yet, but not an entry that the sealing job skipped', async () => {
      await sell('t6');
      world.clock.now += 3_600_000;
      expect(await verify()).toMatchObject({ fault: null, unsealed: 2 });
      await world.affkit.jobs.runOnce();
      expect(await verify()).toMatchObject({ fault: null, unsealed: 0 });
      await sell('t7');
      await world.affkit.jobs.runOnce();
      await tamper(`INSERT INTO ledger_entries (program_id, scope, partner_id, currency, kind, debit_account,
          credit_account, amount_cents, created_at)
        SELECT program_id, scope, partner_id, currency, kind, debit_account, credit_account, amount_cents,
          created_at FROM ledger_entries WHERE chain_position = 1`);
      expect(await faultOf()).toMatch(
        /^program 1, ledger entry \d+: created at 2026-.* and still unsealed, although newer entries are sealed$/,
      );
    });

    test('the database rejects changes and deletions of ledger entries', async () => {
      const change = (statement: string) =>
        world.engine.write(world.workspaceId, (tx) => sql.raw(statement).execute(tx.db));
      await expect(change('UPDATE ledger_entries SET amount_cents = 1')).rejects.toThrow('never changed');
      await expect(change('DELETE FROM ledger_entries')).rejects.toThrow('never');
      const emptied = world.engine.dialect === 'postgres' ? 'TRUNCATE ledger_entries' : REPLACED;
      await expect(change(emptied)).rejects.toThrow('never');
      await expect(change('UPDATE ledger_entries SET chain_position = 99')).rejects.toThrow(
        'ledger entries are',
      );
      expect(await faultOf()).toBeNull();
    });

    test.each([
      ['an amount', 'amount_cents = amount_cents + 1'],
      ['a currency', `currency = 'EUR'`],
      ['an account', `credit_account = 'advertiser_write_off'`],
      ['a partner', 'partner_id = 77'],
      ['a time', 'created_at = created_at - 1'],
      ['the commission', 'commission_id = 77'],
    ])('detects that %s of an entry was changed', async (_what, change) => {
      await tamper(`UPDATE ledger_entries SET ${change} WHERE chain_position = 3`);
      expect(await faultOf()).toMatch(
        /^program 1, ledger entry 3: chain_hash is [0-9a-f]{64}, expected [0-9a-f]{64}$/,
      );
    });

    test.each([
      [
        'a deleted entry',
        'DELETE FROM ledger_entries WHERE chain_position = 5',
        /^program 1, ledger entry 6: chain_position is 6, expected 5$/,
      ],
      [
        'a deleted last entry',
        'DELETE FROM ledger_entries WHERE chain_position = 22',
        /^program 1, chain head: position is 22, expected 21$/,
      ],
      [
        'a changed chain head',
        `UPDATE ledger_chains SET hash = 'x'`,
        /^program 1, chain head: hash is x, expected [0-9a-f]{64}$/,
      ],
      [
        'a deleted chain head',
        'DELETE FROM ledger_chains',
        /^program 1, chain head: position is 0, expected 22$/,
      ],
      [
        'an entry without a commission',
        `INSERT INTO ledger_entries (program_id, scope, partner_id, currency, kind, debit_account, credit_account,
          amount_cents, created_at) SELECT program_id, scope, partner_id, currency, kind, debit_account, credit_account,
          amount_cents, created_at FROM ledger_entries WHERE chain_position = 1`,
        /^program 1, ledger entry 23: its commission is null, expected a commission of the same partner and currency$/,
      ],
      [
        'a changed balance in the program',
        'UPDATE balances SET balance_cents = 7 WHERE program_id = 1',
        /^program 1, partner 1: its balance in the program in USD is 7, expected 300 according to its ledger entries$/,
      ],
      [
        'a changed balance over all programs',
        'UPDATE balances SET balance_cents = 7 WHERE program_id = 0',
        /^partner 1: its balance over all programs in USD is 7, expected 300 according to its ledger entries$/,
      ],
      [
        'a deleted balance',
        'DELETE FROM balances WHERE program_id = 1',
        /^program 1, partner 1: its balance in the program in USD is 0, expected 300 according to its ledger entries$/,
      ],
      [
        'a changed commission amount',
        'UPDATE commissions SET amount_cents = 900 WHERE id = 1',
        /^program 1, commission 1: amount_cents is 900, expected 200 according to its ledger entries of scope partner_program$/,
      ],
      [
        'a changed deduction of a commission',
        'UPDATE commissions SET deducted_cents = 7 WHERE id = 3',
        /^program 1, commission 3: deducted_cents is 7, expected 100 according to its ledger entries of scope partner_program$/,
      ],
      [
        'a changed adjustment sum of a commission',
        'UPDATE commissions SET adjusted_cents = 7 WHERE id = 1',
        /^program 1, commission 1: adjusted_cents is 7, expected 0 according to its ledger entries of scope partner_program$/,
      ],
      [
        'an adjustment without ledger entries',
        `INSERT INTO adjustments (program_id, commission_id, amount_cents, reason, created_at)
          VALUES (1, 1, 50, 'x', 1)`,
        /^program 1, commission 1: the sum of its adjustments is 50, expected 0$/,
      ],
      [
        'a rejection that was undone',
        `UPDATE commissions SET status = 'approved', rejected_at = NULL, deducted_cents = 0 WHERE id = 4`,
        /^program 1, commission 4: deducted_cents is 0, expected 200 according to its ledger entries of scope partner_program$/,
      ],
      [
        'a changed status of a rejected commission',
        `UPDATE commissions SET status = 'approved' WHERE id = 4`,
        /^program 1, commission 4: status is approved, expected rejected$/,
      ],
      [
        'a changed deduction of a refund',
        'UPDATE refunds SET deduction_cents = 1 WHERE commission_id = 2',
        /^program 1, commission 2: the sum of deduction_cents of its refunds is 1, expected 200$/,
      ],
      [
        'a deleted refund',
        'DELETE FROM refunds WHERE commission_id = 2',
        /^program 1, ledger entry \d+: its refund is 1, expected a refund of the same commission$/,
      ],
      [
        'a commission that is marked as paid',
        `UPDATE commissions SET status = 'paid', paid_at = 1 WHERE id = 1`,
        /^program 1, commission 1: paid_at is 1, expected null because it is not in a paid payout$/,
      ],
      [
        'a paid commission that was moved to another payout',
        'UPDATE commissions SET payout_id = 2 WHERE id = 5',
        /^program 1, commission 5: paid_at is \d+, expected null because it is not in a paid payout$/,
      ],
      [
        'a commission that was removed from its payout',
        'UPDATE commissions SET payout_id = NULL WHERE id = 1',
        /^program 1, payout 2: amount_cents is 200, expected at most 0, the sum of its commissions and their adjustments$/,
      ],
      [
        "a commission in another partner's payout",
        'UPDATE payouts SET partner_id = 2 WHERE id = 2',
        /^program 1, ledger entry \d+: its payout is 2, expected a payout of the same partner and currency$/,
      ],
      [
        'a changed payout amount',
        'UPDATE payouts SET amount_cents = 9 WHERE id = 2',
        /^program 1, payout 2: its amount in clearing is 9, expected 200 according to its ledger entries of scope partner_program$/,
      ],
      [
        'a paid commission with the status approved',
        `UPDATE commissions SET status = 'approved' WHERE id = 5`,
        /^program 1, commission 5: status is approved, expected paid or a terminal status because its payout is paid$/,
      ],
      [
        'a payout whose chain head was removed',
        'UPDATE payouts SET chain_position = NULL, chain_hash = NULL WHERE id = 1',
        /^program 1, payout 1: chain_position is null, expected the head of the hash chain/,
      ],
      [
        'an entry with a position below 1',
        `INSERT INTO ledger_entries (program_id, scope, partner_id, currency, kind, debit_account, credit_account,
            amount_cents, chain_position, chain_hash, created_at)
          SELECT program_id, scope, partner_id, currency, kind, debit_account, credit_account, amount_cents, -7, 'x',
            created_at FROM ledger_entries WHERE chain_position = 1`,
        /^program 1, ledger entry \d+: chain_position is -7, expected 1$/,
      ],
      [
        'a payout that is marked as paid',
        `UPDATE payouts SET status = 'paid', paid_at = 1 WHERE id = 2; `,
        /^program 1, commission 1: paid_at is null, expected a time because its payout is paid$/,
      ],
      [
        'a payout that is marked as cancelled',
        `UPDATE payouts SET status = 'cancelled' WHERE id = 2`,
        /^program 1, commission 1: payout_id is 2, expected null or a payout/,
      ],
      [
        'a changed chain hash of a payout',
        `UPDATE payouts SET chain_hash = 'x' WHERE id = 1`,
        /^program 1, payout 1: chain_hash for chain position 20 is x, expected [0-9a-f]{64}$/,
      ],
      [
        'a payout with a chain position that does not exist',
        'UPDATE payouts SET chain_position = 99 WHERE id = 1',
        /^program 1, payout 1: chain_hash for chain position 99 is [0-9a-f]{64}, expected null$/,
      ],
    ])('detects %s', async (_what, statement, sentence) => {
      expect(payoutId).toBe(1);
      expect(await faultOf()).toBeNull();
      await tamper(statement);
      expect(await faultOf()).toMatch(sentence);
    });

    test('detects an entry that exists in the scope partner_program, but is missing in the scope partner', async () => {
      await tamper(
        `UPDATE ledger_entries SET chain_position = NULL, chain_hash = NULL WHERE chain_position >= 21`,
      );
      await tamper(`UPDATE ledger_chains SET position = 20, hash =
        (SELECT chain_hash FROM ledger_entries WHERE program_id = 1 AND chain_position = 20) WHERE program_id = 1`);
      await tamper(`UPDATE payouts SET chain_position = 20, chain_hash =
        (SELECT chain_hash FROM ledger_entries WHERE program_id = 1 AND chain_position = 20) WHERE program_id = 1 AND id = 2`);
      await tamper(`DELETE FROM ledger_entries WHERE chain_position IS NULL AND scope = 'partner'`);
      expect(await faultOf()).toBe(
        'program 1, payout 2: its amount in clearing is 200, expected 0 according to its ledger entries of scope partner',
      );
    });
  });
}
