import type { Kysely, Selectable } from 'kysely';
import type { Schema } from './schema.ts';

/** A program that is not deleted, as the use cases need it. */
export interface ProgramAccount {
  readonly id: number;
  readonly workspaceId: number;
  readonly name: string;
  readonly slug: string;
  readonly siteUrl: string;
  readonly status: 'draft' | 'live';
  readonly cookieWindowDays: number;
  readonly attributionModel: 'last_click' | 'first_click';
  readonly holdDays: number;
  readonly currency: string;
  readonly allowedOrigins: readonly string[];
  readonly cookieDomain: string | null;
  readonly browserLeads: 'all' | 'without_key' | 'off';
  readonly apiTokenMasked: string;
  readonly createdAt: number;
}

/** The program of that id, or null when there is none or it was deleted. */
export async function findProgram(db: Kysely<Schema>, id: number): Promise<ProgramAccount | null> {
  const row = await db
    .selectFrom('programs')
    .selectAll()
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

/** The program whose tracking token has that SHA-256 (hex), or null. */
export async function findProgramByTokenHash(
  db: Kysely<Schema>,
  tokenHash: string,
): Promise<ProgramAccount | null> {
  const row = await db
    .selectFrom('tracking_tokens')
    .innerJoin('programs', 'programs.id', 'tracking_tokens.program_id')
    .selectAll('programs')
    .where('token_hash', '=', tokenHash)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row ? toProgramAccount(row) : null;
}

export function toProgramAccount(row: Selectable<Schema['programs']>): ProgramAccount {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    slug: row.slug,
    siteUrl: row.site_url,
    status: row.status,
    cookieWindowDays: row.cookie_window_days,
    attributionModel: row.attribution_model,
    holdDays: row.hold_days,
    currency: row.currency,
    allowedOrigins: JSON.parse(row.allowed_origins) as string[],
    cookieDomain: row.cookie_domain,
    browserLeads: row.browser_leads,
    apiTokenMasked: row.api_token_masked,
    createdAt: row.created_at,
  };
}
