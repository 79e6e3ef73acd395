import type { Engine } from '@affkit/core';
import { sql } from 'kysely';

/** How long a commission is on hold. */
const HOLD_MS = 30 * 86_400_000;

/** SQL expressions that divide the customers of a program among its partners. */
export interface PartnerShares {
  partnerOf(customerId: string): string;
  linkOf(customerId: string): string;
  /**
   * Adds the rows that depend on the events: counters, a commission and a payment id for each sale, paid payouts, and
   * balances. New commissions are on hold, and a third of the older commissions are paid. Every partner also has an
   * older payout and a bonus, so that the number of payouts and balances hardly depends on the number of events.
   */
  finish(): Promise<void>;
}

/**
 * Enrolls partners. A partner's share of the customers is inversely proportional to its rank. Every other partner
 * has two links.
 */
export async function seedPartners(
  engine: Engine,
  programId: number,
  amount: number,
): Promise<PartnerShares> {
  const numbers = `WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < ${amount})`;
  // The logarithm of the rank is spread evenly. A partner's share of the customers is therefore inversely proportional
  // to the partner's rank.
  const partnerOf = (id: string) =>
    `CAST(floor(exp(CAST(${id} * 7919 % 10007 AS DOUBLE PRECISION) * ${Math.log(amount) / 10_007}e0)) AS BIGINT)`;
  // Partners with an odd id have a second link. The ids of second links follow the ids of all first links.
  const linkOf = (customer: string) =>
    `CASE WHEN ${partnerOf(customer)} % 2 = 1 AND ${customer} % 4 < 2
      THEN ${amount} + (${partnerOf(customer)} + 1) / 2 ELSE ${partnerOf(customer)} END`;
  const run = (statements: readonly string[]) =>
    engine.write(programId, async ({ db }) => {
      for (const statement of statements) await sql.raw(statement).execute(db);
    });
  await run([
    `INSERT INTO partners (workspace_id, email, name, created_at)
      ${numbers} SELECT (SELECT workspace_id FROM programs WHERE id = ${programId}), 'p' || i || '@bench.example', 'name-' || i, i FROM n`,
    `INSERT INTO partner_programs (program_id, partner_id, status, created_at)
      SELECT ${programId}, id, 'approved', created_at FROM partners ORDER BY id`,
    `INSERT INTO links (program_id, short_link, partner_id, status, created_at)
      SELECT ${programId}, 'code-' || id, id, 'active', created_at FROM partners ORDER BY id`,
    `INSERT INTO links (program_id, short_link, partner_id, status, created_at)
      SELECT ${programId}, 'second-' || id, id, 'active', created_at FROM partners WHERE id % 2 = 1 ORDER BY id`,
  ]);
  const isHeld = `sale_at > ${Date.now() - HOLD_MS}`;
  const isPaid = `(id % 3 = 0 AND NOT ${isHeld})`;
  const finish = () =>
    run([
      `INSERT INTO counters (program_id, subject, subject_id, measure, slot, value, last_at)
        SELECT ${programId}, 'partner', partner_id, 'clicks', 0, count(*), max(click_at) FROM click_events GROUP BY partner_id
        UNION ALL SELECT ${programId}, 'link', link_id, 'clicks', 0, count(*), max(click_at) FROM click_events GROUP BY link_id
        UNION ALL SELECT ${programId}, 'partner', partner_id, 'leads', 0, count(*), max(lead_at) FROM lead_events GROUP BY partner_id`,
      `INSERT INTO commissions (program_id, sale_id, partner_id, customer_id, policy_version_id, amount_cents, deducted_cents,
        currency, status, releasable_at, approved_at, paid_at, commission_at, created_at)
        SELECT program_id, id, partner_id, customer_id,
          (SELECT min(id) FROM policy_versions WHERE program_id = ${programId}), amount_cents / 5, 0, currency,
          CASE WHEN ${isHeld} THEN 'pending' WHEN ${isPaid} THEN 'paid' ELSE 'approved' END,
          sale_at + ${HOLD_MS}, CASE WHEN ${isHeld} THEN NULL ELSE sale_at + ${HOLD_MS} END,
          CASE WHEN ${isPaid} THEN sale_at + ${HOLD_MS} END, sale_at, sale_at
        FROM sales`,
      `INSERT INTO processor_refs (workspace_id, ref, program_id, sale_id)
        SELECT (SELECT workspace_id FROM programs WHERE id = ${programId}), processor_event_id, program_id, id FROM sales`,
      `INSERT INTO payouts (program_id, partner_id, currency, status, amount_cents, reference, created_at, paid_at)
        SELECT ${programId}, id, 'EUR', 'paid', 4000 + id, 'older-' || id, id, id FROM partners ORDER BY id`,
      `INSERT INTO payouts (program_id, partner_id, currency, status, amount_cents, reference, created_at, paid_at)
        SELECT program_id, partner_id, currency, 'paid', SUM(amount_cents), 'transfer-' || partner_id, max(paid_at), max(paid_at)
        FROM commissions WHERE status = 'paid' GROUP BY 1, 2, 3 ORDER BY 2`,
      `UPDATE commissions SET payout_id = (SELECT payouts.id FROM payouts WHERE payouts.program_id = commissions.program_id
          AND payouts.partner_id = commissions.partner_id AND payouts.currency = commissions.currency)
        WHERE status = 'paid'`,
      `INSERT INTO balances (program_id, partner_id, currency, balance_cents)
        SELECT program_id * is_program, partner_id, currency, SUM(amount_cents)
        FROM (SELECT program_id, partner_id, currency, amount_cents FROM commissions WHERE status <> 'paid'
          UNION ALL SELECT ${programId}, id, 'USD', 500 FROM partners) AS amounts
          CROSS JOIN (SELECT 1 AS is_program UNION ALL SELECT 0) AS scopes
        GROUP BY 1, 2, 3`,
    ]);
  return { partnerOf, linkOf, finish };
}
