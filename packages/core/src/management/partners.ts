import type { createPartnerRequest, updatePartnerRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { addDailyTotals } from '../storage/counters.ts';
import type { Transaction } from '../storage/engine/engine.ts';
import { deleteInvites } from '../storage/invites.ts';
import { type Link, listLinksOfPartners } from '../storage/links.ts';
import { findPartnerFigures, type PartnerFigures } from '../storage/partner-figures.ts';
import {
  type EnrolledPartner,
  findEnrolledPartner,
  findOrInsertPartner,
  insertEnrolment,
  listEnrolledPartners,
  lockPartner,
  updateEnrolment,
  updatePartner,
} from '../storage/partners.ts';
import type { ProgramAccount } from '../storage/programs.ts';
import { unlessTaken } from '../storage/unique-violation.ts';
import { writeUnlessRejected } from '../storage/write-unless-rejected.ts';
import { recordChange } from './audit.ts';
import { type IssuedInvite, inviteOnce } from './invites.ts';
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
  /** Only where the partner has no user, and no earlier invitation is in force. */
  readonly invite: IssuedInvite | null;
}

/**
 * Enrols the workspace's partner of that e-mail, which is made where there is none, and makes its first link.
 * Asked again, it answers with the partner as it is, and renews a lapsed invitation; a `code` that is not one of the partner's is a conflict then.
 */
export async function createPartner(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewPartner,
): Promise<PartnerCreated | Rejection> {
  const at = runtime.now();
  const outcome = await writeUnlessRejected(runtime.engine, program.workspaceId, async (tx) => {
    const { workspaceId } = program;
    const partner = await findOrInsertPartner(tx, { workspaceId, email: input.email, name: input.name }, at);
    const enrolment = {
      programId: program.id,
      partnerId: partner.id,
      status: input.status ?? 'approved',
    };
    const isNew = await insertEnrolment(tx, enrolment, at);
    if (!isNew) {
      const fault = await reuse(tx, program.id, partner.id, input.code);
      if (fault) return fault;
    }
    // Of several that find an invitation lapsed, one renews it.
    if (partner.userId === null) await lockPartner(tx, partner.id);
    const invite =
      partner.userId === null ? await inviteOnce(tx, runtime, workspaceId, { partnerId: partner.id }) : null;
    if (!isNew) return { id: partner.id, isNew, invite };
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
        status: enrolment.status,
        short_link: link.shortLink,
      },
    });
    return { id: partner.id, isNew, invite };
  });
  if (isRejection(outcome)) return outcome;
  const partner = await findPartner(runtime, program, outcome.id);
  return isRejection(partner) ? partner : { partner, isNew: outcome.isNew, invite: outcome.invite };
}

/** Changes a partner's name and e-mail, in the whole workspace, and its status, in this program. */
export async function changePartner(
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
  input: PartnerChange,
): Promise<PartnerView | Rejection> {
  const outcome = await writeUnlessRejected(runtime.engine, program.workspaceId, async (tx) => {
    await lockPartner(tx, partnerId);
    const partner = await findEnrolledPartner(tx.db, program.id, partnerId);
    if (!partner) return new Rejection('not_found');
    if (input.email !== undefined && input.email !== partner.email && partner.userId !== null) {
      return new Rejection('conflict', 'email cannot be changed once the partner signs in with it');
    }
    if (input.status !== undefined) await updateEnrolment(tx, partner, input.status);
    const change = {
      ...(input.name !== undefined && { name: input.name }),
      ...(input.email !== undefined && { email: input.email }),
    };
    if (Object.keys(change).length > 0) {
      const changed = await unlessTaken(tx, () => updatePartner(tx, partner, change));
      if (changed === 'taken') {
        return new Rejection('conflict', 'Another partner of the workspace has this email');
      }
    }
    // The token went to whoever had the address of before.
    if (change.email !== undefined && change.email !== partner.email) await deleteInvites(tx, { partnerId });
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
  const figures = await findPartnerFigures(read, program.id, ids, runtime.now());
  const links = await listLinksOfPartners(read, program.id, ids);
  return partners.map((partner) => ({
    ...partner,
    figures: figures.get(partner.id) ?? { clicks: 0, leads: 0, conversions: 0, balances: [] },
    links: links.filter((link) => link.partnerId === partner.id),
  }));
}
