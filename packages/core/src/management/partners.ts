import type { createPartnerRequest, updatePartnerRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { deleteInvitesOfLimitedKeys } from '../access/limited-key-invites.ts';
import { lowerAscii } from '../domain/lower-ascii.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deleteInvites } from '../storage/accounts/invites.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { type Link, listLinksOfPartners } from '../storage/programs/links.ts';
import { findPartnerFigures, type PartnerFigures } from '../storage/programs/partner-figures.ts';
import { listEnrolledPartners, type PartnerListQuery } from '../storage/programs/partner-list.ts';
import {
  type EnrolledPartner,
  findEnrolledPartner,
  findOrInsertPartner,
  insertEnrollment,
  listProgramsOfPartner,
  lockPartner,
  type Partner,
  updateEnrollment,
  updatePartner,
} from '../storage/programs/partners.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { addDailyTotals } from '../storage/tracking/counters.ts';
import { announceApplication, publishPartner } from './application-events.ts';
import { recordChange } from './audit.ts';
import { type IssuedInvite, inviteAgain, inviteUnlessInvited, recordInvite } from './invites.ts';
import { addLink } from './links.ts';

export type NewPartner = z.output<typeof createPartnerRequest>;
export type PartnerChange = z.output<typeof updatePartnerRequest>;

/** A partner of a program, with the balances, counters and links in that program. */
export interface PartnerView extends EnrolledPartner {
  readonly figures: PartnerFigures;
  readonly links: readonly Link[];
}

export interface CreatePartnerResult {
  readonly partner: PartnerView;
  /** Whether the partner was newly enrolled. False when the partner was in the program already. */
  readonly isNew: boolean;
  /**
   * A new invitation. Null when the partner has a user account or an earlier invitation is still valid. Also
   * null when the partner is in a program outside the caller's program scope.
   */
  readonly invite: IssuedInvite | null;
}

export interface ChangePartnerResult {
  readonly partner: PartnerView;
  /**
   * The invitation of an applicant who was approved and has no account; otherwise null. Also null when the
   * partner is in a program outside the caller's program scope.
   */
  readonly invite: IssuedInvite | null;
}

/**
 * Enrolls a partner in the program and creates the partner's first link. If the workspace already has a partner with
 * the email address of the request, enrolls that partner. If not, creates a partner.
 *
 * Repeating the request returns the existing partner and replaces an expired invitation. If the repeated request
 * has a `code` that is not a code of the partner's links, the result is a conflict. A caller with a program scope
 * cannot enroll a partner who is in a program outside that scope. Otherwise, the reply would reveal who has
 * the email address.
 *
 * @param programScope the programs that the caller is limited to, or null for all programs of the workspace
 * @returns `rate_limited` after five invitations of the workspace to the address in an hour
 */
export async function createPartner(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewPartner,
  programScope: readonly number[] | null,
): Promise<CreatePartnerResult | Rejection> {
  const outcome = await transactOrReject(runtime.engine, program.workspaceId, (tx) =>
    createPartnerIn(tx, runtime, program, input, programScope),
  );
  if (isRejection(outcome)) return outcome;
  const partner = await findPartner(runtime, program, outcome.id);
  return isRejection(partner) ? partner : { partner, isNew: outcome.isNew, invite: outcome.invite };
}

/**
 * Does the work of `createPartner` in a transaction. If the result is a rejection, the caller must roll back.
 */
export async function createPartnerIn(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  input: NewPartner,
  programScope: readonly number[] | null,
): Promise<({ readonly id: number } & Pick<CreatePartnerResult, 'isNew' | 'invite'>) | Rejection> {
  const at = runtime.now();
  if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
  const { workspaceId } = program;
  const partner = await findOrInsertPartner(tx, { workspaceId, email: input.email, name: input.name }, at);
  // Because of this lock, only one of several concurrent requests renews an expired invitation. The lock also
  // keeps other programs from enrolling the partner between the program scope check and the commit.
  await lockPartner(tx, partner.id);
  const enrollment = {
    programId: program.id,
    partnerId: partner.id,
    status: input.status ?? 'approved',
  };
  const isInScope = await coversAllProgramsOf(tx, programScope, partner.id, 'existing');
  const isNew = await insertEnrollment(tx, enrollment, at);
  if (isNew && !isInScope) return outsideScope();
  if (isNew) await deleteInvitesOfLimitedKeys(tx, runtime, partner, program.id);
  if (!isNew) {
    const rejection = await checkCode(tx, program.id, partner.id, input.code);
    if (rejection) return rejection;
  }
  const target = { partnerId: partner.id };
  const mayInvite =
    partner.userId === null && (await coversAllProgramsOf(tx, programScope, partner.id, 'all'));
  const invitation = { workspaceId, programId: program.id, target, email: partner.email };
  const invite = mayInvite ? await inviteUnlessInvited(tx, runtime, invitation) : null;
  if (isRejection(invite)) return invite;
  if (!isNew) {
    if (invite) await recordInvite(tx, runtime, { workspaceId, programId: program.id, target }, invite);
    return { id: partner.id, isNew, invite };
  }
  const { status } = enrollment;
  if (status === 'approved') await publishPartner(tx, program.id, partner, { kind: status }, at);
  const completion = { status, action: 'partner.create', code: input.code } as const;
  const link = await completeEnrollment(tx, runtime, program, partner, completion);
  return isRejection(link) ? link : { id: partner.id, isNew, invite };
}

/** Counts a new enrollment, creates the partner's first link and writes the audit log. */
export async function completeEnrollment(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  partner: Partner,
  completion: {
    readonly status: EnrolledPartner['status'];
    readonly action: 'partner.create' | 'partner.apply';
    readonly code?: string | undefined;
  },
): Promise<Link | Rejection> {
  const { status, action, code } = completion;
  const at = runtime.now();
  await addDailyTotals(tx, [{ programId: program.id, partnerId: null, at, measure: 'partners', value: 1 }]);
  const link = await addLink(tx, runtime, program.id, partner, code);
  if (isRejection(link)) return link;
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action,
    subjectId: partner.id,
    before: null,
    after: { email: partner.email, name: partner.name, status, short_link: link.shortLink },
  });
  return link;
}

/**
 * Sends a new invitation to a partner who has no account. Earlier invitations become invalid.
 *
 * @param programScope the programs that the caller is limited to, or null for all programs of the workspace
 * @returns `rate_limited` after five invitations of the workspace to the address in an hour
 */
export async function invitePartner(
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
  programScope: readonly number[] | null,
): Promise<IssuedInvite | Rejection> {
  const { id: programId, workspaceId } = program;
  return await transactOrReject(runtime.engine, workspaceId, async (tx) => {
    await lockPartner(tx, partnerId);
    const partner = await findEnrolledPartner(tx.db, programId, partnerId);
    if (!partner) return new Rejection('not_found');
    if (!(await coversAllProgramsOf(tx, programScope, partnerId, 'all'))) return outsideScope();
    if (partner.userId !== null)
      return new Rejection(
        'conflict',
        'The partner already has an account, and can sign in without an invitation',
      );
    const { email } = partner;
    return await inviteAgain(tx, runtime, { workspaceId, programId, target: { partnerId }, email });
  });
}

/**
 * Changes a partner's name and email address in the whole workspace, and the partner's status and minimum payout in
 * this program.
 *
 * @param programScope the programs that the caller is limited to, or null for all programs of the workspace
 */
export async function changePartner(
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
  input: PartnerChange,
  programScope: readonly number[] | null,
): Promise<ChangePartnerResult | Rejection> {
  const outcome = await transactOrReject(runtime.engine, program.workspaceId, (tx) =>
    changePartnerIn(tx, runtime, program, partnerId, input, programScope),
  );
  if (isRejection(outcome)) return outcome;
  const partner = await findPartner(runtime, program, partnerId);
  return isRejection(partner) ? partner : { partner, invite: outcome.invite };
}

/**
 * Does the work of `changePartner` in a transaction. If the result is a rejection, the caller must roll back.
 */
export async function changePartnerIn(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
  input: PartnerChange,
  programScope: readonly number[] | null,
): Promise<Pick<ChangePartnerResult, 'invite'> | Rejection> {
  await lockPartner(tx, partnerId);
  const partner = await findEnrolledPartner(tx.db, program.id, partnerId);
  if (!partner) return new Rejection('not_found');
  const change = {
    ...(input.name !== undefined && input.name !== partner.name && { name: input.name }),
    ...(input.email !== undefined && input.email !== partner.email && { email: input.email }),
  };
  const changesPartner = Object.keys(change).length > 0;
  // Whoever changes the email address can get the invitation, and with it the partner's account.
  const affected = change.email === undefined ? 'existing' : 'all';
  if (changesPartner && !(await coversAllProgramsOf(tx, programScope, partnerId, affected))) {
    return outsideScope();
  }
  if (change.email !== undefined && partner.userId !== null) {
    return new Rejection('conflict', 'email cannot be changed once the partner has a user account');
  }
  const { status = partner.status, status_reason: givenReason = null } = input;
  if (input.status === undefined && givenReason !== null) {
    return new Rejection('invalid_field', 'status_reason requires status');
  }
  const reason = input.status === undefined ? partner.statusReason : givenReason;
  const minPayoutCents =
    input.min_payout_cents === undefined ? partner.minPayoutCents : input.min_payout_cents;
  const enrollment = { status, status_reason: reason, min_payout_cents: minPayoutCents };
  // Delete the invitations, because their tokens were sent to the old address.
  if (change.email !== undefined) await deleteInvites(tx, { partnerId });
  const invite = await changeEnrollment(tx, runtime, { ...partner, ...change }, enrollment);
  if (changesPartner) {
    const changed = await catchUniqueViolation(tx, () => updatePartner(tx, partner, change));
    if (changed === 'taken') {
      return new Rejection('conflict', 'Another partner of the workspace has this email');
    }
  }
  const before = {
    email: partner.email,
    name: partner.name,
    status: partner.status,
    status_reason: partner.statusReason,
    min_payout_cents: partner.minPayoutCents,
  };
  await recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: 'partner.update',
    subjectId: partnerId,
    before,
    after: { ...before, ...change, ...enrollment },
  });
  if (invite === null) return { invite };
  await recordInvite(
    tx,
    runtime,
    { workspaceId: program.workspaceId, programId: program.id, target: { partnerId } },
    invite,
  );
  // With the invitation, the caller could create the partner's account, which covers all of the partner's programs.
  // A caller who is limited to some of these programs must therefore not get the invitation.
  return { invite: (await coversAllProgramsOf(tx, programScope, partnerId, 'all')) ? invite : null };
}

async function changeEnrollment(
  tx: Transaction,
  runtime: Runtime,
  partner: EnrolledPartner,
  change: Parameters<typeof updateEnrollment>[2],
): Promise<IssuedInvite | null> {
  await updateEnrollment(tx, partner, change);
  const { status, status_reason: reason } = change;
  const isDecision = status === 'approved' || status === 'rejected';
  if (!isDecision || status === partner.status) return null;
  if (partner.appliedAt === null) {
    await publishPartner(tx, partner.programId, partner, { kind: status, reason }, runtime.now());
    return null;
  }
  return await announceApplication(tx, runtime, partner.programId, partner, { kind: status, reason });
}

/** Finds a partner who is enrolled in the program with any status. */
export async function findPartner(
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
): Promise<PartnerView | Rejection> {
  const partner = await findEnrolledPartner(runtime.engine.read, program.id, partnerId);
  const [view] = await withFigures(runtime, program, partner ? [partner] : []);
  return view ?? new Rejection('not_found');
}

export async function listPartners(
  runtime: Runtime,
  program: ProgramAccount,
  query: PartnerListQuery,
  range: { readonly offset: number; readonly limit: number },
): Promise<{ partners: PartnerView[]; total: number }> {
  const { partners, total } = await listEnrolledPartners(runtime.engine, program, query, range);
  return { partners: await withFigures(runtime, program, partners), total };
}

function outsideScope(): Rejection {
  return new Rejection(
    'forbidden',
    "The partner is in programs outside the key's program_scope. Use a key or session that covers them.",
  );
}

/**
 * Whether the scope covers every program of the partner.
 * @param programs `all` includes deleted programs, because the partner's account shows the earnings in them
 */
async function coversAllProgramsOf(
  tx: Transaction,
  programScope: readonly number[] | null,
  partnerId: number,
  programs: 'existing' | 'all',
): Promise<boolean> {
  if (programScope === null) return true;
  const ids = await listProgramsOfPartner(tx, partnerId, programs);
  return ids.every((id) => programScope.includes(id));
}

/** Checks that one of the links of an already enrolled partner has the code. */
async function checkCode(
  tx: Transaction,
  programId: number,
  partnerId: number,
  code: string | undefined,
): Promise<Rejection | null> {
  if (code === undefined) return null;
  const links = await listLinksOfPartners(tx.db, programId, [partnerId]);
  return links.some((link) => lowerAscii(link.shortLink) === lowerAscii(code))
    ? null
    : new Rejection('conflict', 'The partner is already in the program. Create additional links separately.');
}

async function withFigures(
  runtime: Runtime,
  program: ProgramAccount,
  partners: readonly EnrolledPartner[],
): Promise<PartnerView[]> {
  const ids = partners.map((partner) => partner.id);
  const { read } = runtime.engine;
  const figuresOf = await findPartnerFigures(read, program.id, ids, runtime.now());
  const links = await listLinksOfPartners(read, program.id, ids);
  return partners.map((partner) => ({
    ...partner,
    figures: figuresOf(partner.id),
    links: links.filter((link) => link.partnerId === partner.id),
  }));
}
