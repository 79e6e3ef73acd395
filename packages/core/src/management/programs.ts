import {
  type CommissionTerms,
  type createProgramRequest,
  TRACKING_TOKEN_PREFIX,
  type updateProgramRequest,
} from '@affkit/protocol';
import type { z } from 'zod';
import { randomBase62 } from '../domain/base62.ts';
import { isPublicSuffix } from '../domain/cookie-domain.ts';
import { DEFAULT_CURRENCY } from '../domain/money.ts';
import { toSlug } from '../domain/slug.ts';
import { hashToken, makeToken, maskToken } from '../domain/token.ts';
import { Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { insertPolicy } from '../storage/money/policies.ts';
import {
  hasRealSales,
  hasUnsettledMoney,
  insertProgram,
  lockProgram,
  type ProgramAccount,
  type ProgramSettings,
  replaceTrackingToken,
  softDeleteProgram,
  updateProgram,
} from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';
import { toPolicyTerms } from './policies.ts';

export type NewProgram = Omit<z.output<typeof createProgramRequest>, 'workspace_id'>;
export type ProgramChange = z.output<typeof updateProgramRequest>;

const DEFAULT_COOKIE_WINDOW_DAYS = 60;
const MAX_SLUG_LENGTH = 64;
const MAX_RANDOM_SLUGS = 8;

export interface IssuedToken {
  readonly program: ProgramAccount;
  /** The full token. It is never returned again, because only its hash is stored. */
  readonly apiToken: string;
}

/** Creates a draft program with a tracking token and a default commission policy. */
export async function createProgram(
  runtime: Runtime,
  workspaceId: number,
  input: NewProgram,
): Promise<IssuedToken | Rejection> {
  const fault = checkCookieDomain(input.cookie_domain);
  if (fault) return fault;
  const apiToken = makeToken(TRACKING_TOKEN_PREFIX, runtime.randomBytes);
  const at = runtime.now();
  const draft = {
    workspaceId,
    name: input.name,
    siteUrl: input.site_url,
    status: 'draft' as const,
    cookieWindowDays: input.cookie_window_days ?? DEFAULT_COOKIE_WINDOW_DAYS,
    attributionModel: input.attribution_model ?? 'last_click',
    holdDays: input.hold_days ?? 0,
    currency: input.currency ?? DEFAULT_CURRENCY,
    allowedOrigins: input.allowed_origins ?? [new URL(input.site_url).origin],
    cookieDomain: input.cookie_domain ?? null,
    browserLeads: input.browser_leads ?? 'all',
    claimedKeys: input.claimed_keys ?? 'review',
    requireOrigin: input.require_origin ?? false,
    minSaleCents: input.min_sale_cents ?? 0,
    commissionBase: input.commission_base ?? 'total',
    apiTokenMasked: maskToken(apiToken),
    createdAt: at,
  };
  const slugs = input.slug === undefined ? suggestProgramSlugs(input.name, runtime) : [input.slug];
  return await transactOrReject(runtime.engine, workspaceId, async (tx) => {
    const program = await insertProgramWithFreeSlug(tx, draft, slugs, hashToken(apiToken));
    if (!program) return new Rejection('slug_taken');
    await addDefaultPolicy(tx, program.id, input.commission, at);
    await recordProgram(tx, runtime, 'create', null, program);
    return { program, apiToken };
  });
}

/** Changes settings of a program. After the first real sale, the currency cannot change. */
export async function changeProgram(
  runtime: Runtime,
  program: ProgramAccount,
  input: ProgramChange,
): Promise<ProgramAccount | Rejection> {
  const fault = checkCookieDomain(input.cookie_domain);
  if (fault) return fault;
  const change = toSettings(input);
  return await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    const before = await lockProgram(tx, program.id);
    const updated = await catchUniqueViolation(tx, () => updateProgram(tx, program.id, change));
    if (updated === 'taken') return new Rejection('slug_taken');
    if (before === null || updated === null) return new Rejection('program_not_found');
    const isOtherCurrency = change.currency !== undefined && change.currency !== before.currency;
    if (isOtherCurrency && (await hasRealSales(tx.db, program.id)))
      return new Rejection('currency_immutable');
    await recordProgram(tx, runtime, 'update', before, updated);
    return updated;
  });
}

/**
 * Lists the program on the marketplace. This does not affect tracking, because a draft tracks like a live
 * program.
 */
export async function publishProgram(
  runtime: Runtime,
  program: ProgramAccount,
): Promise<ProgramAccount | Rejection> {
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const before = await lockProgram(tx, program.id);
    const updated = await updateProgram(tx, program.id, { status: 'live' });
    if (before === null || updated === null) return new Rejection('program_not_found');
    await recordProgram(tx, runtime, 'go_live', before, updated);
    return updated;
  });
}

/** Replaces the program's tracking token. The previous token stops working immediately. */
export async function regenerateToken(
  runtime: Runtime,
  program: ProgramAccount,
): Promise<IssuedToken | Rejection> {
  const apiToken = makeToken(TRACKING_TOKEN_PREFIX, runtime.randomBytes);
  const at = runtime.now();
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const before = await lockProgram(tx, program.id);
    const updated = await updateProgram(tx, program.id, { apiTokenMasked: maskToken(apiToken) });
    if (before === null || updated === null) return new Rejection('program_not_found');
    await replaceTrackingToken(tx, program.id, hashToken(apiToken), at);
    await recordProgram(tx, runtime, 'regenerate_token', before, updated);
    return { program: updated, apiToken };
  });
}

/**
 * Deletes a program for all callers but keeps its history. Returns `program_has_balance` in these cases:
 * - A balance is not zero, or a payout is pending.
 * - A queued task may still create a commission.
 * - A payment waits for its details.
 * - A refund or dispute is parked, because its sale is not known yet.
 */
export async function deleteProgram(runtime: Runtime, program: ProgramAccount): Promise<true | Rejection> {
  return await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    const before = await lockProgram(tx, program.id);
    if (before === null || !(await softDeleteProgram(tx, program.id, runtime.now()))) {
      return new Rejection('program_not_found');
    }
    if (await hasUnsettledMoney(tx.db, program)) return new Rejection('program_has_balance');
    await recordProgram(tx, runtime, 'delete', before, null);
    return true;
  });
}

async function insertProgramWithFreeSlug(
  tx: Transaction,
  draft: Omit<ProgramAccount, 'id' | 'slug' | 'webhookEvents'>,
  slugs: Iterable<string>,
  tokenHash: string,
): Promise<ProgramAccount | null> {
  for (const slug of slugs) {
    const program = await insertProgram(tx, { ...draft, slug }, tokenHash);
    if (program) return program;
  }
  return null;
}

/** Yields the name as a slug, and then this slug with random suffixes. */
function* suggestProgramSlugs(name: string, runtime: Runtime): Generator<string> {
  yield toSlug(name, 'program', MAX_SLUG_LENGTH);
  for (let count = 0; count < MAX_RANDOM_SLUGS; count++) {
    const suffix = randomBase62(6, runtime.randomBytes).toLowerCase();
    yield `${toSlug(name, 'program', MAX_SLUG_LENGTH - suffix.length - 1)}-${suffix}`;
  }
}

async function addDefaultPolicy(
  tx: Transaction,
  programId: number,
  commission: CommissionTerms,
  at: number,
): Promise<void> {
  const target = { programId, productId: null, partnerId: null };
  const policy = await insertPolicy(tx, target, toPolicyTerms({ ...commission }), at);
  if (!policy) throw new Error(`Program ${programId} already has a default policy`);
}

function checkCookieDomain(domain: string | null | undefined): Rejection | null {
  if (domain == null || !isPublicSuffix(domain)) return null;
  return new Rejection('invalid_field', 'cookie_domain must not be a public suffix such as com or co.uk');
}

function toSettings(programChange: ProgramChange): Partial<ProgramSettings> {
  const settings = {
    name: programChange.name,
    slug: programChange.slug,
    siteUrl: programChange.site_url,
    cookieWindowDays: programChange.cookie_window_days,
    attributionModel: programChange.attribution_model,
    holdDays: programChange.hold_days,
    currency: programChange.currency,
    allowedOrigins: programChange.allowed_origins,
    cookieDomain: programChange.cookie_domain,
    browserLeads: programChange.browser_leads,
    claimedKeys: programChange.claimed_keys,
    requireOrigin: programChange.require_origin,
    minSaleCents: programChange.min_sale_cents,
    commissionBase: programChange.commission_base,
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function recordProgram(
  tx: Transaction,
  runtime: Runtime,
  verb: string,
  before: ProgramAccount | null,
  after: ProgramAccount | null,
): Promise<void> {
  const program = after ?? before;
  if (program === null) throw new Error('recordProgram requires a state before or after the change');
  return recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: `program.${verb}`,
    subjectId: program.id,
    before: before && programStateOf(before),
    after: after && programStateOf(after),
  });
}

/** The mutable fields of a program, with the field names of replies and of the audit log. */
export function programStateOf(program: ProgramAccount) {
  return {
    name: program.name,
    slug: program.slug,
    site_url: program.siteUrl,
    status: program.status,
    cookie_window_days: program.cookieWindowDays,
    attribution_model: program.attributionModel,
    hold_days: program.holdDays,
    currency: program.currency,
    allowed_origins: program.allowedOrigins,
    cookie_domain: program.cookieDomain,
    browser_leads: program.browserLeads,
    claimed_keys: program.claimedKeys,
    require_origin: program.requireOrigin,
    min_sale_cents: program.minSaleCents,
    commission_base: program.commissionBase,
    api_token_masked: program.apiTokenMasked,
  };
}
