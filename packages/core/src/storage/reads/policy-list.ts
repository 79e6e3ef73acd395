import { type RawBuilder, sql } from 'kysely';
import type { PolicyTerms } from '../../domain/commission.ts';
import type { Engine } from '../database/engine/engine.ts';
import type { Page } from '../database/list-page.ts';
import { containsText, prefixKey } from '../database/text-search.ts';
import { findPolicies, type Policy } from '../money/policies.ts';
import { listSortedIds } from '../programs/sorted-list.ts';

/** The filters and the sort order of a list of policies. A missing filter matches all policies. */
export interface PolicyListQuery {
  readonly q?: string | undefined;
  readonly type?: PolicyTerms['type'] | undefined;
  /** Matches the policies that apply to the partner: its own, and those for all partners. */
  readonly partner_id?: number | undefined;
  readonly sort: 'created_at' | 'product_id' | 'partner_name';
  readonly order: 'asc' | 'desc';
}

/** Lists a page of the program's active policies. */
export async function listPolicies(
  { dialect, read }: Pick<Engine, 'dialect' | 'read'>,
  programId: number,
  { q, type, partner_id: partnerId, sort, order }: PolicyListQuery,
  page: Page,
): Promise<{ policies: Policy[]; total: number }> {
  const terms =
    type === undefined
      ? sql``
      : sql`JOIN policy_versions ON policy_versions.program_id = listed.program_id
          AND policy_versions.policy_id = listed.id AND policy_versions.version = listed.version`;
  const usesPartner = q !== undefined || sort === 'partner_name';
  const partner = usesPartner ? sql`LEFT JOIN partners ON partners.id = listed.partner_id` : sql``;
  const ofType = type === undefined ? sql`` : sql`AND policy_versions.type = ${type}`;
  const ofPartner =
    partnerId === undefined
      ? sql``
      : sql`AND (listed.partner_id IS NULL OR listed.partner_id = ${partnerId})`;
  const found =
    q === undefined ? sql`` : sql`AND ${containsText(dialect, ['listed.product_id', 'partners.name'], q)}`;
  const rows = {
    from: sql`policies AS listed ${terms} ${partner}`,
    where: sql`listed.program_id = ${programId} AND listed.deleted_at IS NULL ${ofType} ${ofPartner} ${found}`,
    order,
    key: sortKey(),
  };
  const { ids, total } = await listSortedIds(read, rows, page);
  return { policies: await findPolicies(read, programId, ids), total };

  /** A policy without a product or partner, such as the default policy, has an empty key and sorts first. */
  function sortKey(): RawBuilder<unknown> {
    switch (sort) {
      case 'created_at':
        return sql`listed.id`;
      case 'product_id':
        return sql`COALESCE(${sql.raw(prefixKey(dialect, 'listed.product_id'))}, '')`;
      case 'partner_name':
        return sql`COALESCE(${sql.raw(prefixKey(dialect, 'partners.name'))}, '')`;
    }
  }
}
