import { useProgram } from '../session/session.tsx';
import type { ItemReply, ListReply, Partner } from './types.ts';
import { useApi } from './use-api.ts';

/**
 * A partner of the program, or undefined until it is known. The rows of a list share one request for the first
 * hundred partners, and only the others are read one by one.
 */
export function usePartner(id: number | null): Partner | undefined {
  const { api, may } = useProgram();
  const isAllowed = may('partner:list');
  const first = useApi<ListReply<Partner>>(
    `${api}/partners`,
    { sort: 'name', order: 'asc', pageSize: 100 },
    { enabled: isAllowed },
  ).data?.data;
  const listed = first?.find((partner) => partner.id === id);
  const partner = useApi<ItemReply<Partner>>(
    `${api}/partners/${id}`,
    {},
    { enabled: isAllowed && id !== null && first !== undefined && !listed },
  );
  return listed ?? (partner.data?.data.id === id ? partner.data.data : undefined);
}
