import type { createPartnerRequest, updatePartnerRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { deleteInvites } from '../storage/accounts/invites.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import { catchUniqueViolation } from '../storage/database/unique-violation.ts';
import { type Link, listLinksOfPartners } from '../storage/programs/links.ts';
import { findPartnerFigures, type PartnerFigures } from '../storage/programs/partner-figures.ts';
import {
  type EnrolledPartner,
  findEnrolledPartner,
  findOrInsertPartner,
  insertEnrollment,
  listEnrolledPartners,
  listProgramsOfPartner,
  lockPartner,
  updateEnrollment,
  updatePartner,
} from '../storage/programs/partners.ts';
import { holdProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import { addDailyTotals } from '../storage/tracking/counters.ts';
import { recordChange } from './audit.ts';
import { type IssuedInvite, inviteOnce, recordInvite } from './invites.ts';
import { addLink } from './links.ts';

export type NewPartner = z.output<typeof createPartnerRequest>;
export type PartnerChange = z.output<typeof updatePartnerRequest>;

/** A partner in a program, with what it brought, is owed and shares. */
export interface PartnerView extends EnrolledPartner {
  readonly figures: PartnerFigures;
  readonly links: readonly Link[];
}

export interface PartnerCreated {
  readonly partner: PartnerView;
  /** False where the partner was in the program already: nothing was written then. */
  readonly isNew: boolean;
  /** Only where the partner has no user, no earlier invitation is in force, and the caller reaches all its programs. */
  readonly invite: IssuedInvite | null;
}

/**
 * Enrolls the workspace's partner of that e-mail, which is made where there is none, and makes its first link.
 * Asked again, it answers with the partner as it is, and renews a lapsed invitation; a `code` that is not one of the
 * partner's is a conflict then.
 * @param programScope the programs that the caller reaches; null = all of the workspace
 */
export async function createPartner(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewPartner,
  programScope: readonly number[] | null,
): Promise<PartnerCreated | Rejection> {
  const at = runtime.now();
  const outcome = await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await holdProgram(tx, program.id))) return new Rejection('program_not_found');
    const { workspaceId } = program;
    const partner = await findOrInsertPartner(tx, { workspaceId, email: input.email, name: input.name }, at);
    // Of several that find an invitation lapsed, one renews it; and no other program enrolls the partner meanwhile.
    await lockPartner(tx, partner.id);
    const enrollment = {
      programId: program.id,
      partnerId: partner.id,
      status: input.status ?? 'approved',
    };
    const isNew = await insertEnrollment(tx, enrollment, at);
    if (!isNew) {
      const fault = await reuse(tx, program.id, partner.id, input.code);
      if (fault) return fault;
    }
    const mayInvite = partner.userId === null && (await isWithin(tx, programScope, partner.id));
    const invite = mayInvite ? await inviteOnce(tx, runtime, workspaceId, { partnerId: partner.id }) : null;
    if (!isNew) {
      const renewed = { workspaceId, programId: program.id, target: { partnerId: partner.id } };
      if (invite) await recordInvite(tx, runtime, renewed, invite);
      return { id: partner.id, isNew, invite };
    }
    await addDailyTotals(tx, [{ programId: program.id, partnerId: null, at, measure: 'partners', value: 1 }]);
    const link = await addLink(tx, runtime, program.id, partner, input.code);
    if (isRejection(link)) return link;
    await recordChange(tx, runtime, {
      workspaceId,
      programId: program.id,
      action: 'partner.create',
      subjectId: partner.id,
      before: null,
      after: {
        email: partner.email,
        name: partner.name,
        status: enrollment.status,
        short_link: link.shortLink,
      },
    });
    return { id: partner.id, isNew, invite };
  });
  if (isRejection(outcome)) return outcome;
  const partner = await findPartner(runtime, program, outcome.id);
  return isRejection(partner) ? partner : { partner, isNew: outcome.isNew, invite: outcome.invite };
}

/**
 * Changes a partner's name and e-mail, in the whole workspace, and its status, in this program.
 * @param programScope the programs that the caller reaches; null = all of the workspace
 */
export async function changePartner(
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
  input: PartnerChange,
  programScope: readonly number[] | null,
): Promise<PartnerView | Rejection> {
  const outcome = await transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    await lockPartner(tx, partnerId);
    const partner = await findEnrolledPartner(tx.db, program.id, partnerId);
    if (!partner) return new Rejection('not_found');
    const change = {
      ...(input.name !== undefined && input.name !== partner.name && { name: input.name }),
      ...(input.email !== undefined && input.email !== partner.email && { email: input.email }),
    };
    const changesPartner = Object.keys(change).length > 0;
    if (changesPartner && !(await isWithin(tx, programScope, partnerId))) {
      return new Rejection('forbidden', 'The partner is in programs outside the program_scope of the key');
    }
    if (change.email !== undefined && partner.userId !== null) {
      return new Rejection('conflict', 'email cannot be changed once the partner signs in with it');
    }
    if (input.status !== undefined) await updateEnrollment(tx, partner, input.status);
    if (changesPartner) {
      const changed = await catchUniqueViolation(tx, () => updatePartner(tx, partner, change));
      if (changed === 'taken') {
        return new Rejection('conflict', 'Another partner of the workspace has this email');
      }
    }
    // The token went to whoever had the address of before.
    if (change.email !== undefined) await deleteInvites(tx, { partnerId });
    const before = { email: partner.email, name: partner.name, status: partner.status };
    await recordChange(tx, runtime, {
      workspaceId: program.workspaceId,
      programId: program.id,
      action: 'partner.update',
      subjectId: partnerId,
      before,
      after: { ...before, ...change, ...(input.status !== undefined && { status: input.status }) },
    });
    return partner;
  });
  return isRejection(outcome) ? outcome : findPartner(runtime, program, partnerId);
}

async function findPartner(
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
  range: { readonly offset: number; readonly limit: number },
): Promise<{ partners: PartnerView[]; total: number }> {
  const { partners, total } = await listEnrolledPartners(runtime.engine.read, program.id, range);
  return { partners: await withFigures(runtime, program, partners), total };
}

/** Does the scope cover every program that the partner is in? What a partner is goes for all of them. */
async function isWithin(
  tx: Transaction,
  programScope: readonly number[] | null,
  partnerId: number,
): Promise<boolean> {
  if (programScope === null) return true;
  const programs = await listProgramsOfPartner(tx.db, partnerId);
  return programs.every((id) => programScope.includes(id));
}

async function reuse(
  tx: Transaction,
  programId: number,
  partnerId: number,
  code: string | undefined,
): Promise<Rejection | null> {
  if (code === undefined) return null;
  const links = await listLinksOfPartners(tx.db, programId, [partnerId]);
  return links.some((link) => link.shortLink === code)
    ? null
    : new Rejection('conflict', 'The partner is in the program already; further links are made one by one');
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
