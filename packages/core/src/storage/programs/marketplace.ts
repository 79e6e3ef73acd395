import type { Kysely } from 'kysely';
import type { PolicyTerms } from '../../domain/commission.ts';
import type { Schema } from '../database/schema.ts';

/** A live program as shown on the marketplace, with the terms of its default commission. */
export interface MarketplaceProgram extends PolicyTerms {
  readonly name: string;
  readonly slug: string;
  readonly siteUrl: string;
  readonly currency: string;
  readonly cookieWindowDays: number;
}

/** Lists a page of all live programs in the service, newest first. */
export async function listMarketplacePrograms(
  db: Kysely<Schema>,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ programs: MarketplaceProgram[]; total: number }> {
  const live = db
    .selectFrom('programs')
    .where('programs.status', '=', 'live')
    .where('programs.deleted_at', 'is', null);
  const { total } = await live.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const rows = await live
    .innerJoin('policies', (join) =>
      join
        .onRef('policies.program_id', '=', 'programs.id')
        .on('policies.product_id', 'is', null)
        .on('policies.partner_id', 'is', null)
        .on('policies.deleted_at', 'is', null),
    )
    .innerJoin('policy_versions', (join) =>
      join
        .onRef('policy_versions.program_id', '=', 'policies.program_id')
        .onRef('policy_versions.policy_id', '=', 'policies.id')
        .onRef('policy_versions.version', '=', 'policies.version'),
    )
    .select([
      'programs.name',
      'programs.slug',
      'programs.site_url as siteUrl',
      'programs.currency',
      'programs.cookie_window_days as cookieWindowDays',
      'policy_versions.type',
      'policy_versions.rate_bps as rateBps',
      'policy_versions.amount_cents as amountCents',
      'policy_versions.recurring_months as recurringMonths',
    ])
    .orderBy('programs.id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return { programs: rows, total };
}
