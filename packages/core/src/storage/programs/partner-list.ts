import { type RawBuilder, sql } from 'kysely';
import type { Engine } from '../database/engine/engine.ts';
import type { PartnerProgramStatus } from '../database/schema-programs.ts';
import { containsText, prefixKey } from '../database/text-search.ts';
import { type EnrolledPartner, listEnrollments } from './partners.ts';
import { counterFigure, listSortedIds, type SortedList } from './sorted-list.ts';

/** The filters and the sort order of a list of partners. A missing filter matches all partners. */
export interface PartnerListQuery {
  readonly q?: string | undefined;
  readonly status?: PartnerProgramStatus | undefined;
  readonly sort: 'created_at' | 'name' | 'email' | 'clicks' | 'leads' | 'conversions' | 'balance_cents';
  readonly order: 'asc' | 'desc';
}

/**
 * Lists a page of the program's partners. The cost depends on the number of partners, but not on the number
 * of events.
 * @param program.currency the currency of the balances to sort by
 */
export async function listEnrolledPartners(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  program: { readonly id: number; readonly currency: string },
  { q, status, sort, order }: PartnerListQuery,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ partners: EnrolledPartner[]; total: number }> {
  const usesPartner = q !== undefined || sort === 'name' || sort === 'email';
  const from = usesPartner
    ? sql`partner_programs AS listed JOIN partners ON partners.id = listed.partner_id`
    : sql`partner_programs AS listed`;
  const ofStatus = status === undefined ? sql`` : sql`AND listed.status = ${status}`;
  const where = sql`listed.program_id = ${program.id} ${ofStatus} ${q === undefined ? sql`` : search(q)}`;
  const rows = { from, where, order, isSearch: q !== undefined, key: sortKey() };
  const { ids, total } = await listSortedIds(read, rows, page);
  return { partners: await listEnrollments(read, program.id, ids), total };

  function search(text: string): RawBuilder<unknown> {
    return sql`AND (${containsText(dialect, ['partners.name', 'partners.email'], text)}
      OR listed.partner_id IN (SELECT links.partner_id FROM links WHERE links.program_id = ${program.id}
        AND ${containsText(dialect, ['links.short_link'], text)}))`;
  }

  function sortKey(): SortedList['key'] {
    switch (sort) {
      case 'created_at':
        return sql`listed.id`;
      case 'name':
      case 'email':
        return sql.raw(prefixKey(dialect, `partners.${sort}`));
      case 'balance_cents':
        return {
          figures: sql`SELECT partner_id AS owner_id, balance_cents AS value FROM balances
            WHERE program_id = ${program.id} AND currency = ${program.currency}`,
          ownerId: sql`listed.partner_id`,
        };
      default:
        return counterFigure(program.id, 'partner', sort, sql`listed.partner_id`);
    }
  }
}
