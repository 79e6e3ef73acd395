import { useQuery } from '@tanstack/preact-query';
import { type ProgramView, useProgram } from '../session/session.tsx';
import type { ItemReply, ListReply, Partner } from './types.ts';
import { apiQuery, useApi } from './use-api.ts';

/** Returns the query for the first 100 partners by name. For these partners, `usePartner` sends no other request. */
function firstPartners({ api }: ProgramView) {
  return apiQuery<ListReply<Partner>>(`${api}/partners`, { sort: 'name', order: 'asc', pageSize: 100 });
}

/**
 * Whether rows with partner names can be shown, because the names are loaded or the user may not see them.
 * Rows that are shown before the names are loaded would later change their height.
 */
export function usePartnerNames(): boolean {
  const view = useProgram();
  return !useQuery({ ...firstPartners(view), enabled: view.may('partner:list') }).isLoading;
}

/**
 * Returns a partner of the program, or undefined until the partner is known. All rows of a list share a
 * request for the first hundred partners. Any other partner needs a request of its own.
 */
export function usePartner(id: number | null): Partner | undefined {
  const view = useProgram();
  const isAllowed = view.may('partner:list');
  const first = useQuery({ ...firstPartners(view), enabled: isAllowed }).data?.data;
  const listed = first?.find((partner) => partner.id === id);
  const partner = useApi<ItemReply<Partner>>(
    `${view.api}/partners/${id}`,
    {},
    { enabled: isAllowed && id !== null && first !== undefined && !listed },
  );
  return listed ?? partner.data?.data;
}
