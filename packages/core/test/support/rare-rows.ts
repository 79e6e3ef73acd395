import type { PayoutWorld } from './payout-world.ts';
import { START } from './world.ts';

/** Placeholders for encrypted texts, which `addRareRows` stores. An export must not contain them. */
export const SEALED = { debtor: 'sealed-debtor', details: 'sealed-details' } as const;

/** Stores a row in each table that clicks, sales, refunds, and manual payouts leave empty. */
export async function addRareRows({ engine, program, workspaceId, anna }: PayoutWorld): Promise<void> {
  const program_id = program.id;
  const at = START;
  await engine.write(workspaceId, async ({ db }) => {
    const ofProgram = <T extends 'sales' | 'payouts'>(table: T) =>
      db
        .selectFrom(table as 'sales')
        .select('id')
        .where('program_id', '=', program_id)
        .orderBy('id');
    const { id: sale_id } = await ofProgram('sales').executeTakeFirstOrThrow();
    const { id: payout_id } = await ofProgram('payouts').executeTakeFirstOrThrow();
    const { id: batch_id } = await db
      .insertInto('payout_batches')
      .values({
        program_id,
        channel: 'file:csv',
        currency: 'USD',
        program_name: 'Shop',
        sealed_debtor: SEALED.debtor,
        creator_kind: 'user',
        creator_id: 1,
        created_at: at,
        closed_at: at,
        downloaded_at: at,
        cancelled_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await db
      .insertInto('payout_batch_items')
      .values({
        program_id,
        batch_id,
        payout_id,
        partner_id: anna.partnerId,
        partner_name: 'anna',
        status: 'paid',
        amount_cents: 7,
        sealed_details: SEALED.details,
        reason: null,
        reference: 'r',
        closed_at: at,
      })
      .execute();
    await db
      .insertInto('payout_settings')
      .values({
        program_id,
        min_payout_cents: 5,
        schedule_day: 3,
        scheduled_at: at,
        sealed_debtor: SEALED.debtor,
      })
      .execute();
    await db
      .insertInto('payout_runs')
      .values({
        program_id,
        month: '2026-05',
        status: 'dismissed',
        totals: '[]',
        created_at: at,
        decided_at: at,
        decided_by: 1,
      })
      .execute();
    await db
      .insertInto('applications')
      .values({
        program_id,
        partner_id: anna.partnerId,
        answers: '[]',
        invitation_code: null,
        approved_by: null,
        applied_at: at,
        email_confirmed_at: at,
      })
      .execute();
    await db
      .insertInto('program_pages')
      .values({
        program_id,
        is_published: 1,
        description: 'Earn 20 %',
        terms: null,
        logo: null,
        accent_color: null,
        questions: '[]',
        embed_origins: '[]',
        auto_approve_domains: '[]',
        invitation_codes: '[]',
      })
      .execute();
    const charge = { workspace_id: workspaceId, charge: 'ch_1', program_id, sale_id, currency: 'USD' };
    await db
      .insertInto('processor_charges')
      .values({
        ...charge,
        refunded_cents: 1,
        is_whole: 0,
        reason: null,
        refunded_at: at,
        parked_at: at,
        check_at: null,
      })
      .execute();
    await db
      .insertInto('processor_refunds')
      .values({
        workspace_id: workspaceId,
        refund: 're_1',
        charge: 'ch_1',
        currency: 'USD',
        amount_cents: 1,
        is_failed: 0,
      })
      .execute();
    await db
      .insertInto('processor_disputes')
      .values({
        ...charge,
        dispute: 'dp_1',
        state: 'won',
        applied_state: 'won',
        amount_cents: 1,
        reason: null,
        reported_at: at,
        parked_at: at,
        check_at: null,
      })
      .execute();
    const { ref } = await db
      .selectFrom('processor_refs')
      .select('ref')
      .where('program_id', '=', program_id)
      .orderBy('ref')
      .executeTakeFirstOrThrow();
    const pair = { workspace_id: workspaceId, used_at: at };
    await db
      .insertInto('processor_ties')
      .values([
        { ...pair, ref, other: 'ch_1' },
        { ...pair, ref: 'ch_1', other: ref },
      ])
      .execute();
    await db
      .insertInto('kept_refunds')
      .values({
        program_id,
        sale_id,
        refund_id: 'kept',
        refund_amount_cents: 1,
        reason: null,
        refund_at: at,
        created_at: at,
      })
      .execute();
    await db
      .insertInto('trace_notes')
      .values({ program_id, customer_id: null, sale_id, reason: 'key_ignored', detail: null, created_at: at })
      .execute();
  });
}
