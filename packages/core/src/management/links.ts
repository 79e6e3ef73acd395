import type { createLinkRequest, createPortalLinkRequest } from '@affkit/protocol';
import type { z } from 'zod';
import { suggestShortLink } from '../domain/short-link.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import { transactOrReject } from '../storage/database/transact-or-reject.ts';
import {
  countPartnerLinks,
  findLink,
  insertLink,
  type Link,
  type LinkStatus,
  updateLinkStatus,
} from '../storage/programs/links.ts';
import { findEnrolledPartner, type Partner } from '../storage/programs/partners.ts';
import { lockProgramShared, type ProgramAccount } from '../storage/programs/programs.ts';
import { recordChange } from './audit.ts';

export type NewLink = z.output<typeof createLinkRequest>;

export type NewPortalLink = z.output<typeof createPortalLinkRequest>;

/** The page that a link opens, and the sub-id of its clicks. */
type LinkTarget = Partial<Pick<Link, 'landingPath' | 'subId'>>;

const MAX_SUGGESTED_CODES = 8;
/**
 * A partner who has this many links in a program cannot create more. To distinguish more sources, the partner can add
 * sub-ids to the URL of one link.
 */
const MAX_PORTAL_LINKS = 500;

/** Creates an additional link of an enrolled partner. */
export function createLink(
  runtime: Runtime,
  program: ProgramAccount,
  input: NewLink,
): Promise<Link | Rejection> {
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('program_not_found');
    const partner = await findEnrolledPartner(tx.db, program.id, input.partner_id);
    if (!partner) return new Rejection('invalid_field', 'partner_id must be a partner of the program');
    const link = await addLink(tx, runtime, program.id, partner, input.short_link);
    if (!isRejection(link)) await recordLink(tx, runtime, program, null, link);
    return link;
  });
}

/**
 * Creates a link for the partner who sends the request. The partner must be approved.
 * @param partnerId the partner of the caller in the program's workspace
 */
export function createPortalLink(
  runtime: Runtime,
  program: ProgramAccount,
  partnerId: number,
  { short_link, landing_path, sub_id }: NewPortalLink,
): Promise<Link | Rejection> {
  return transactOrReject(runtime.engine, program.workspaceId, async (tx) => {
    if (!(await lockProgramShared(tx, program.id))) return new Rejection('not_found');
    const partner = await findEnrolledPartner(tx.db, program.id, partnerId);
    if (!partner) return new Rejection('not_found');
    if (partner.status !== 'approved') {
      return new Rejection('invalid_field', 'program_id must be a program that has approved you');
    }
    const selection = { programIds: [program.id], partnerIds: [partnerId] };
    const [count] = await countPartnerLinks(tx.db, selection);
    if ((count?.total ?? 0) >= MAX_PORTAL_LINKS) {
      return new Rejection(
        'invalid_field',
        `You already have ${MAX_PORTAL_LINKS} links in this program, the maximum. Instead of a new link, add a sub_id to the URL of an existing one.`,
      );
    }
    const target = { landingPath: landing_path ?? null, subId: sub_id ?? null };
    const link = await addLink(tx, runtime, program.id, partner, short_link, target);
    if (!isRejection(link)) await recordLink(tx, runtime, program, null, link);
    return link;
  });
}

/** Activates or deactivates a link. Without a status, nothing changes. */
export async function changeLink(
  runtime: Runtime,
  program: ProgramAccount,
  linkId: number,
  status: LinkStatus | undefined,
): Promise<Link | Rejection> {
  if (status === undefined) {
    return (await findLink(runtime.engine.read, program.id, linkId)) ?? new Rejection('not_found');
  }
  return await runtime.engine.write(program.workspaceId, async (tx) => {
    const link = await findLink(tx.db, program.id, linkId);
    if (!link) return new Rejection('not_found');
    await updateLinkStatus(tx, program.id, linkId, status);
    const changed = { ...link, status };
    await recordLink(tx, runtime, program, link, changed);
    return changed;
  });
}

/**
 * Adds a link with the given code. If no code is given, the link gets an unused code based on the partner's name.
 *
 * @returns `short_link_taken` when another link has the code
 */
export async function addLink(
  tx: Transaction,
  runtime: Runtime,
  programId: number,
  partner: Pick<Partner, 'id' | 'name'>,
  shortLink: string | undefined,
  target: LinkTarget = {},
): Promise<Link | Rejection> {
  const codes = shortLink === undefined ? suggestCodes(partner.name, runtime) : [shortLink];
  const link = await insertLink(tx, { ...target, programId, partnerId: partner.id }, codes, runtime.now());
  return link ?? new Rejection('short_link_taken');
}

function* suggestCodes(name: string, runtime: Runtime): Generator<string> {
  for (let count = 0; count < MAX_SUGGESTED_CODES; count++) yield suggestShortLink(name, runtime.randomBytes);
}

function recordLink(
  tx: Transaction,
  runtime: Runtime,
  program: ProgramAccount,
  before: Link | null,
  after: Link,
): Promise<void> {
  const stateOf = (link: Link) => ({
    short_link: link.shortLink,
    status: link.status,
    partner_id: link.partnerId,
  });
  return recordChange(tx, runtime, {
    workspaceId: program.workspaceId,
    programId: program.id,
    action: before === null ? 'link.create' : 'link.update',
    subjectId: after.id,
    before: before && stateOf(before),
    after: stateOf(after),
  });
}
