import { portalPageQuery } from '@affkit/protocol';
import type { PartnerCaller } from '../access/access.ts';
import { choosePortalPartners } from '../access/partner-choice.ts';
import { isRejection, type Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import { listPartnerProgramIds } from '../storage/reads/partner-enrollments.ts';
import type { PortalSelection } from '../storage/reads/portal-commissions.ts';
import type { HttpRequest } from './message.ts';
import { parse, queryFields } from './parse.ts';

export const PARTNER_ROUTE_ACCESS = { kind: 'partner' } as const;

/**
 * Chooses the partners whose rows a list contains. This happens before the filters are parsed. A request that names a
 * partner of another user is therefore rejected for that reason, even if it also has a filter that is not valid.
 */
export async function authorizePartners(
  _runtime: Runtime,
  { caller, request }: { readonly caller: PartnerCaller; readonly request: HttpRequest },
): Promise<readonly UserPartner[] | Rejection> {
  const query = parse(portalPageQuery.strip(), queryFields(request.query));
  return isRejection(query) ? query : choosePortalPartners(caller, query.partner_id);
}

/**
 * Selects the partners and programs that a list covers. Deleted programs are included.
 * @param programId selects only this program, or no program if the partners are not enrolled in it
 */
export async function selectPortalRows(
  { engine }: Pick<Runtime, 'engine'>,
  partners: readonly UserPartner[],
  programId?: number,
): Promise<PortalSelection> {
  const partnerIds = partnerIdsOf(partners);
  const enrolledIn = await listPartnerProgramIds(engine.read, partnerIds);
  const programIds = enrolledIn.filter((id) => programId === undefined || id === programId);
  return { programIds, partnerIds };
}

export function partnerIdsOf(partners: readonly UserPartner[]): number[] {
  return partners.map((partner) => partner.id);
}
