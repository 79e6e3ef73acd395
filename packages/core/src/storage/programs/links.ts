import { type Kysely, sql } from 'kysely';
import { lowerAscii } from '../../domain/lower-ascii.ts';
import { directoryCodes, findByCode } from '../../domain/short-link.ts';
import type { Transaction } from '../database/engine/engine.ts';
import { idList } from '../database/id-list.ts';
import type { Dialect } from '../database/migrations/dialect.ts';
import type { Schema } from '../database/schema.ts';
import { prefixKey } from '../database/text-search.ts';
import { withoutIndex } from '../database/without-index.ts';

export type LinkStatus = 'active' | 'inactive';

/** A referral link with its number of clicks. */
export interface Link {
  readonly id: number;
  readonly programId: number;
  readonly shortLink: string;
  readonly status: LinkStatus;
  /** Null when the partner was erased. */
  readonly partnerId: number | null;
  /** The path of the page that the link opens. If null, the link opens the program's site. */
  readonly landingPath: string | null;
  /** The `sub_id` parameter of the link's URL. */
  readonly subId: string | null;
  readonly createdAt: number;
  readonly clicks: number;
  readonly lastClickedAt: number | null;
}

interface NewLinkRow {
  readonly programId: number;
  readonly partnerId: number;
  readonly landingPath?: string | null;
  readonly subId?: string | null;
}

/**
 * Stores an active link. The link gets the first of `codes` that no other link in the whole service has. Codes that
 * differ only in case count as the same code.
 * @param codes the codes to try, in order
 * @returns null when all codes are taken; the caller must then roll back
 */
export async function insertLink(
  tx: Transaction,
  given: NewLinkRow,
  codes: Iterable<string>,
  at: number,
): Promise<Link | null> {
  const link = { landingPath: null, subId: null, ...given };
  let id: number | undefined;
  for (const code of codes) {
    id ??= await insertLinkRow(tx, link, code, at);
    if (await claimCode(tx, link.programId, id, code)) {
      await tx.db
        .updateTable('links')
        .set({ short_link: code })
        .where('program_id', '=', link.programId)
        .where('id', '=', id)
        .where('short_link', '<>', code)
        .execute();
      return {
        ...link,
        id,
        shortLink: code,
        status: 'active',
        createdAt: at,
        clicks: 0,
        lastClickedAt: null,
      };
    }
  }
  return null;
}

export async function findLink(db: Kysely<Schema>, programId: number, linkId: number): Promise<Link | null> {
  const row = await db
    .selectFrom('links')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', '=', linkId)
    .executeTakeFirst();
  if (!row) return null;
  const [link] = await withClicks(db, [row]);
  return link ?? null;
}

/** Finds a link by its code, in any program. */
export async function findLinkByCode(
  db: Kysely<Schema>,
  code: string,
): Promise<Pick<Link, 'id' | 'programId' | 'partnerId'> | null> {
  const rows = await db
    .selectFrom('link_directory')
    .innerJoin('links', (join) =>
      join
        .onRef('links.program_id', '=', 'link_directory.program_id')
        .onRef('links.id', '=', 'link_directory.link_id'),
    )
    .select(['link_directory.short_link as code', 'links.id', 'links.program_id', 'links.partner_id'])
    .where('link_directory.short_link', 'in', directoryCodes(code))
    .execute();
  const row = findByCode(new Map(rows.map((found) => [found.code, found])), code);
  return row ? { id: row.id, programId: row.program_id, partnerId: row.partner_id } : null;
}

/**
 * Lists the codes that the link directory stores with upper-case letters. They were not converted to lower case,
 * because their lower-case form already belonged to another link. All other codes are stored in lower case.
 */
export function listCodesInOtherCase(
  db: Kysely<Schema>,
  dialect: Dialect,
  limit: number,
): Promise<{ short_link: string; program_id: number }[]> {
  return db
    .selectFrom('link_directory')
    .select(['short_link', 'program_id'])
    .where('short_link', '<>', sql<string>`${sql.raw(prefixKey(dialect, 'short_link'))}`)
    .orderBy('short_link')
    .limit(limit)
    .execute();
}

/** Lists the links with these ids, in the order of the ids. */
export async function findLinks(
  db: Kysely<Schema>,
  programId: number,
  ids: readonly number[],
): Promise<Link[]> {
  const rows = await db
    .selectFrom('links')
    .selectAll()
    .where('program_id', '=', programId)
    .where('id', 'in', idList(ids))
    .execute();
  const byId = new Map((await withClicks(db, rows)).map((link) => [link.id, link]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** Lists all links of the partners in the program, oldest first. */
export async function listLinksOfPartners(
  db: Kysely<Schema>,
  programId: number,
  partnerIds: readonly number[],
): Promise<Link[]> {
  if (partnerIds.length === 0) return [];
  const rows = await db
    .selectFrom('links')
    .selectAll()
    .where('program_id', '=', programId)
    .where('partner_id', 'in', partnerIds)
    // Do not sort by the index on ids. With it, SQLite would read all links of the program.
    .orderBy(withoutIndex('id'))
    .execute();
  return await withClicks(db, rows);
}

/** Selects links by partner and program. */
interface PartnerLinkFilter {
  readonly programIds: readonly number[];
  readonly partnerIds: readonly number[];
}

/** Lists a page of the partners' links in the programs, newest first. */
export async function listPartnerLinks(
  db: Kysely<Schema>,
  selection: PartnerLinkFilter,
  range: { readonly offset: number; readonly limit: number },
): Promise<{ links: Link[]; total: number }> {
  const selected = partnerLinks(db, selection);
  const { total } = await selected
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await selected
    .selectAll()
    .orderBy('id', 'desc')
    .limit(range.limit)
    .offset(range.offset)
    .execute();
  return { links: await withClicks(db, rows), total };
}

/** Counts the links of each partner in each program. Partners without links are missing in the result. */
export function countPartnerLinks(
  db: Kysely<Schema>,
  selection: PartnerLinkFilter,
): Promise<{ program_id: number; partner_id: number | null; total: number }[]> {
  return partnerLinks(db, selection)
    .select((eb) => ['program_id', 'partner_id', eb.fn.countAll<number>().as('total')])
    .groupBy(['program_id', 'partner_id'])
    .execute();
}

function partnerLinks(db: Kysely<Schema>, { programIds, partnerIds }: PartnerLinkFilter) {
  return db
    .selectFrom('links')
    .where('program_id', 'in', idList(programIds))
    .where('partner_id', 'in', idList(partnerIds));
}

export async function updateLinkStatus(
  tx: Transaction,
  programId: number,
  linkId: number,
  status: LinkStatus,
): Promise<void> {
  await tx.db
    .updateTable('links')
    .set({ status })
    .where('program_id', '=', programId)
    .where('id', '=', linkId)
    .execute();
}

async function insertLinkRow(
  tx: Transaction,
  link: Required<NewLinkRow>,
  shortLink: string,
  at: number,
): Promise<number> {
  const { id } = await tx.db
    .insertInto('links')
    .values({
      program_id: link.programId,
      partner_id: link.partnerId,
      short_link: shortLink,
      status: 'active',
      landing_path: link.landingPath,
      sub_id: link.subId,
      created_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Claims a code for a link. If several links claim the code concurrently, only one of the claims succeeds.
 * @returns whether this claim succeeded
 */
async function claimCode(
  tx: Transaction,
  programId: number,
  linkId: number,
  shortLink: string,
): Promise<boolean> {
  const row = await tx.db
    .insertInto('link_directory')
    .values({ short_link: lowerAscii(shortLink), program_id: programId, link_id: linkId })
    .onConflict((conflict) => conflict.column('short_link').doNothing())
    .returning('link_id')
    .executeTakeFirst();
  return row !== undefined;
}

interface ListedLinkRow {
  readonly id: number;
  readonly program_id: number;
  readonly short_link: string;
  readonly status: LinkStatus;
  readonly partner_id: number | null;
  readonly landing_path: string | null;
  readonly sub_id: string | null;
  readonly created_at: number;
}

async function withClicks(db: Kysely<Schema>, rows: readonly ListedLinkRow[]): Promise<Link[]> {
  if (rows.length === 0) return [];
  const programIds = [...new Set(rows.map((row) => row.program_id))];
  const counts = await db
    .selectFrom('counters')
    .select((eb) => [
      'subject_id',
      eb.fn.sum<number>('value').as('clicks'),
      eb.fn.max('last_at').as('last_clicked_at'),
    ])
    .where('program_id', 'in', programIds)
    .where('subject', '=', 'link')
    .where('measure', '=', 'clicks')
    .where(
      'subject_id',
      'in',
      rows.map((row) => row.id),
    )
    .groupBy('subject_id')
    .execute();
  const byLink = new Map(counts.map((row) => [row.subject_id, row]));
  return rows.map((row) => ({
    id: row.id,
    programId: row.program_id,
    shortLink: row.short_link,
    status: row.status,
    partnerId: row.partner_id,
    landingPath: row.landing_path,
    subId: row.sub_id,
    createdAt: row.created_at,
    clicks: byLink.get(row.id)?.clicks ?? 0,
    lastClickedAt: byLink.get(row.id)?.last_clicked_at ?? null,
  }));
}

/** Finds the code of an active link of an approved partner. Only clicks on such links are recorded. */
export async function findWorkingCode(db: Kysely<Schema>, programId: number): Promise<string | null> {
  const row = await db
    .selectFrom('links')
    .innerJoin('partner_programs', (join) =>
      join
        .onRef('partner_programs.program_id', '=', 'links.program_id')
        .onRef('partner_programs.partner_id', '=', 'links.partner_id'),
    )
    .select('links.short_link')
    .where('links.program_id', '=', programId)
    .where('links.status', '=', 'active')
    .where('partner_programs.status', '=', 'approved')
    .orderBy('links.id')
    .limit(1)
    .executeTakeFirst();
  return row?.short_link ?? null;
}
