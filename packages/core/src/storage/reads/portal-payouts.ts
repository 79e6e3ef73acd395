import { type Kysely, sql } from 'kysely';
import type { PayoutStatus } from '../../domain/payout-status.ts';
import { idList } from '../database/id-list.ts';
import type { Schema } from '../database/schema.ts';
import type { PayoutRow } from '../money/payouts.ts';
import type { PortalSelection } from './portal-commissions.ts';

/** A payout and the number of its commissions, without partner data. */
export type PortalPayout = PayoutRow & { readonly commissions: number };

/** A payout with the names that its receipt shows. The program may be deleted. */
export interface PortalPayoutDetail {
  readonly payout: PortalPayout;
  readonly programName: string;
  readonly workspaceName: string;
  readonly partnerName: string;
  readonly partnerEmail: string;
}

/** Lists a page of the partners' payouts in the programs, latest first. */
export async function listPortalPayouts(
  db: Kysely<Schema>,
  selection: PortalSelection,
  status: PayoutStatus | null,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ payouts: PortalPayout[]; total: number }> {
  const selected = selectPortalPayouts(db, selection, status);
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const payouts = await withCommissions(selected)
    .orderBy('payouts.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { payouts, total };
}

/**
 * Lists the payouts after `lastId`, in the order of `listPortalPayouts`. If `lastId` is null, lists from the
 * start.
 */
export async function listPortalPayoutsAfter(
  db: Kysely<Schema>,
  selection: PortalSelection,
  status: PayoutStatus | null,
  lastId: number | null,
  limit: number,
): Promise<PortalPayout[]> {
  return await withCommissions(selectPortalPayouts(db, selection, status))
    .$if(lastId !== null, (query) => query.where('payouts.id', '<', lastId ?? 0))
    .orderBy('payouts.id', 'desc')
    .limit(limit)
    .execute();
}

export async function findPortalPayout(
  db: Kysely<Schema>,
  selection: PortalSelection,
  id: number,
): Promise<PortalPayoutDetail | null> {
  const row = await withCommissions(selectPortalPayouts(db, selection, null))
    .innerJoin('programs', 'programs.id', 'payouts.program_id')
    .innerJoin('workspaces', 'workspaces.id', 'programs.workspace_id')
    .innerJoin('partners', 'partners.id', 'payouts.partner_id')
    .select([
      'programs.name as program_name',
      'workspaces.name as workspace_name',
      'partners.name as partner_name',
      'partners.email as partner_email',
    ])
    .where('payouts.id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const { program_name, workspace_name, partner_name, partner_email, ...payout } = row;
  return {
    payout,
    programName: program_name,
    workspaceName: workspace_name,
    partnerName: partner_name,
    partnerEmail: partner_email,
  };
}

function selectPortalPayouts(
  db: Kysely<Schema>,
  { programIds, partnerIds }: PortalSelection,
  status: PayoutStatus | null,
) {
  return db
    .selectFrom('payouts')
    .where('payouts.program_id', 'in', idList(programIds))
    .where('payouts.partner_id', 'in', idList(partnerIds))
    .$if(status !== null, (query) => query.where('payouts.status', '=', status ?? 'pending'));
}

function withCommissions(selected: ReturnType<typeof selectPortalPayouts>) {
  return selected.selectAll('payouts').select(
    sql<number>`(SELECT COUNT(*) FROM commissions
      WHERE commissions.program_id = payouts.program_id AND commissions.payout_id = payouts.id)`.as(
      'commissions',
    ),
  );
}
