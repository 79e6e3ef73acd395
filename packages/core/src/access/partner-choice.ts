import { Rejection } from '../rejection.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import type { PartnerCaller } from './access.ts';

/**
 * The partners that a list covers: the partner with the given id, or else all partners of the user.
 *
 * @returns `not_found` when the given partner is not one of the user's
 */
export function choosePortalPartners(
  { partners }: PartnerCaller,
  requestedId: number | undefined,
): readonly UserPartner[] | Rejection {
  if (requestedId === undefined) return partners;
  const chosen = partners.filter((partner) => partner.id === requestedId);
  return chosen.length > 0 ? chosen : new Rejection('not_found');
}
