import { Rejection } from '../rejection.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import type { PartnerCaller } from './access.ts';

/**
 * The partner that a request acts on: the partner with the given id, or the user's only partner if no id is given.
 *
 * @returns `not_found` when the given partner does not belong to the user, `partner_id_required` when no id is given
 * and the user has several partners
 */
export function choosePortalPartner(
  { partners }: PartnerCaller,
  requestedId: number | undefined,
): UserPartner | Rejection {
  if (requestedId !== undefined) {
    return partners.find((partner) => partner.id === requestedId) ?? new Rejection('not_found');
  }
  const [partner, ...others] = partners;
  return partner !== undefined && others.length === 0 ? partner : new Rejection('partner_id_required');
}

/**
 * Chooses the partners that a list covers: the partner with the given id, or else all of the user's partners.
 *
 * @returns `not_found` when the given partner does not belong to the user
 */
export function choosePortalPartners(
  { partners }: PartnerCaller,
  requestedId: number | undefined,
): readonly UserPartner[] | Rejection {
  if (requestedId === undefined) return partners;
  const chosen = partners.filter((partner) => partner.id === requestedId);
  return chosen.length > 0 ? chosen : new Rejection('not_found');
}
