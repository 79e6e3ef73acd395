import { Rejection } from '../rejection.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import type { PartnerCaller } from './access.ts';

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
