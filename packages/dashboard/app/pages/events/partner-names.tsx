import type { JSX } from 'preact';
import type { ItemReply, ListReply, Partner } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Select } from '../../ui/controls.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';

/** The partners that the filter offers. Others are read one by one. */
function useFirstPartners(): readonly Partner[] | undefined {
  const { api, may } = useProgram();
  const partners = useApi<ListReply<Partner>>(
    `${api}/partners`,
    { sort: 'name', order: 'asc', pageSize: 100 },
    { enabled: may('partner:list') },
  );
  return partners.data?.data;
}

/** A partner of the program, or undefined until it is known. */
export function usePartner(id: number | null): Partner | undefined {
  const { api, may } = useProgram();
  const first = useFirstPartners();
  const listed = first?.find((partner) => partner.id === id);
  const partner = useApi<ItemReply<Partner>>(
    `${api}/partners/${id}`,
    {},
    { enabled: may('partner:list') && id !== null && first !== undefined && !listed },
  );
  return listed ?? (partner.data?.data.id === id ? partner.data.data : undefined);
}

/** Chooses the partner whose events are listed. */
export function PartnerFilter(): JSX.Element {
  const [{ partner_id = '' }, change] = useQueryState();
  const first = useFirstPartners() ?? [];
  const chosen = usePartner(partner_id === '' ? null : Number(partner_id));
  const isOffered = partner_id === '' || first.some(({ id }) => String(id) === partner_id);
  const choices = [
    { value: '', text: 'All partners' },
    ...(isOffered ? [] : [{ value: partner_id, text: chosen?.name ?? `Partner ${partner_id}` }]),
    ...first.map(({ id, name }) => ({ value: String(id), text: name })),
  ];
  return (
    <Select
      label="Partner"
      value={partner_id}
      choices={choices}
      onChange={(id) => change({ partner_id: id, link_id: '' })}
    />
  );
}
