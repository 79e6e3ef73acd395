import { useQuery } from '@tanstack/preact-query';
import { type ProgramView, useProgram } from '../session/session.tsx';
import type { ItemReply, ListReply, Partner } from './types.ts';
import { apiQuery, useApi } from './use-api.ts';

/** The first partners of a list in which most partners are found. */
function firstPartners({ api }: ProgramView) {
  return apiQuery<ListReply<Partner>>(`${api}/partners`, { sort: 'name', order: 'asc', pageSize: 100 });
}

/** Whether `usePartner` has names, as far as the user may see them. Until then, rows would change their height. */
export function usePartnerNames(): boolean {
  const view = useProgram();
  return !useQuery({ ...firstPartners(view), enabled: view.may('partner:list') }).isLoading;
}

/**
 * A partner of the program, or undefined until it is known. The rows of a list share one request for the first
 * hundred partners, and only the others are read one by one.
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
  return listed ?? (partner.data?.data.id === id ? partner.data.data : undefined);
}
