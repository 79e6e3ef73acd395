import type { Kysely, Selectable } from 'kysely';
import type { Question } from '../../domain/application.ts';
import type { PolicyTerms } from '../../domain/commission.ts';
import type { Transaction } from '../database/engine/engine.ts';
import type { Schema } from '../database/schema.ts';
import { findDefaultPolicy } from '../money/policies.ts';
import { findProgramBySlug, type ProgramAccount } from './programs.ts';

/** The settings of a program's public page. */
export interface ProgramPage {
  readonly isPublished: boolean;
  readonly description: string | null;
  readonly terms: string | null;
  /** A `data:` URL. */
  readonly logo: string | null;
  /** `#rrggbb` in lower case. */
  readonly accentColor: string | null;
  readonly questions: readonly Question[];
  readonly embedOrigins: readonly string[];
  readonly autoApproveDomains: readonly string[];
  readonly invitationCodes: readonly string[];
}

/** A program, its published page, and the terms of its default commission. */
export interface PublishedProgram {
  readonly program: ProgramAccount;
  readonly page: ProgramPage;
  readonly terms: PolicyTerms;
}

const NO_PAGE: ProgramPage = {
  isPublished: false,
  description: null,
  terms: null,
  logo: null,
  accentColor: null,
  questions: [],
  embedOrigins: [],
  autoApproveDomains: [],
  invitationCodes: [],
};

/**
 * Finds the settings of the program's page. If a program has no settings, its page is empty and unpublished.
 */
export async function findProgramPage(db: Kysely<Schema>, programId: number): Promise<ProgramPage> {
  const row = await db
    .selectFrom('program_pages')
    .selectAll()
    .where('program_id', '=', programId)
    .executeTakeFirst();
  return row ? toProgramPage(row) : NO_PAGE;
}

/** Finds the color of the program, `#rrggbb`, without the other settings of its page. */
export async function findAccentColor(db: Kysely<Schema>, programId: number): Promise<string | null> {
  const row = await db
    .selectFrom('program_pages')
    .select('accent_color')
    .where('program_id', '=', programId)
    .executeTakeFirst();
  return row?.accent_color ?? null;
}

/** Finds the program with this slug, in any workspace, if its page is published. */
export async function findPublishedProgram(
  db: Kysely<Schema>,
  slug: string,
): Promise<PublishedProgram | null> {
  const program = await findProgramBySlug(db, slug);
  if (!program) return null;
  const page = await findProgramPage(db, program.id);
  if (!page.isPublished) return null;
  return { program, page, terms: await findDefaultPolicy(db, program.id) };
}

/** Stores all settings of the program's page. The caller must hold a lock on the program. */
export async function saveProgramPage(tx: Transaction, programId: number, page: ProgramPage): Promise<void> {
  const columns = {
    is_published: page.isPublished ? (1 as const) : (0 as const),
    description: page.description,
    terms: page.terms,
    logo: page.logo,
    accent_color: page.accentColor,
    questions: JSON.stringify(page.questions),
    embed_origins: JSON.stringify(page.embedOrigins),
    auto_approve_domains: JSON.stringify(page.autoApproveDomains),
    invitation_codes: JSON.stringify(page.invitationCodes),
  };
  await tx.db
    .insertInto('program_pages')
    .values({ program_id: programId, ...columns })
    .onConflict((conflict) => conflict.column('program_id').doUpdateSet(columns))
    .execute();
}

function toProgramPage(row: Selectable<Schema['program_pages']>): ProgramPage {
  return {
    isPublished: row.is_published === 1,
    description: row.description,
    terms: row.terms,
    logo: row.logo,
    accentColor: row.accent_color,
    // The casts are safe because only `saveProgramPage` writes these texts.
    questions: JSON.parse(row.questions) as Question[],
    embedOrigins: JSON.parse(row.embed_origins) as string[],
    autoApproveDomains: JSON.parse(row.auto_approve_domains) as string[],
    invitationCodes: JSON.parse(row.invitation_codes) as string[],
  };
}
