import type { JSX } from 'preact';
import * as messages from '#messages/audit.tsx';
import type { Commission, ItemReply, Link as PartnerLinkRow, Payout } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { formatDate } from '../../format/time.ts';
import { ProgramContext, useProgram, useSession, viewOf } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { whyCommission } from '../why/why-path.ts';
import { PartnerLink } from './partner-link.tsx';

interface NamedKind<Row> {
  /** The part of the API path that names the kind, such as `payouts`. */
  readonly list: string;
  readonly permission: string;
  readonly nameOf: (row: Row) => string;
  /** The path of the row's page, relative to the program's pages. */
  readonly pathOf: (row: Row) => string;
}

const LINK: NamedKind<PartnerLinkRow> = {
  list: 'links',
  permission: 'link:list',
  nameOf: ({ short_link }) => short_link,
  pathOf: ({ short_link }) => `/links?q=${encodeURIComponent(short_link)}`,
};

const COMMISSION: NamedKind<Commission> = {
  list: 'commissions',
  permission: 'commission:list',
  nameOf: ({ partner_name, commission_date, amount_cents, currency }) =>
    messages.moneyName(partner_name, formatDate(commission_date), formatMoney(amount_cents, currency)),
  pathOf: ({ id }) => whyCommission('', id),
};

const PAYOUT: NamedKind<Payout> = {
  list: 'payouts',
  permission: 'payout:list',
  nameOf: ({ partner_name, created_at, amount_cents, currency }) =>
    messages.moneyName(partner_name, formatDate(created_at), formatMoney(amount_cents, currency)),
  pathOf: ({ partner_id }) => `/payouts?partner_id=${partner_id}`,
};

const KINDS = ['partner', 'link', 'commission', 'payout'];

/** Whether rows of this kind have a page and a name that people know. */
export function isNamedKind(kind: string): boolean {
  return KINDS.includes(kind);
}

/** The name of a changed row, with a link to its page. Until the name is known, it shows the id. */
export function SubjectName({
  programId,
  kind,
  id,
}: {
  programId: number | null;
  kind: string;
  id: number;
}): JSX.Element {
  const { me, programs } = useSession();
  const program = programs.find((row) => row.id === programId);
  if (kind === 'partner') return <PartnerLink programId={programId} id={id} />;
  if (!program) return <>{id}</>;
  return (
    <ProgramContext.Provider value={viewOf(me, program)}>
      {kind === 'link' && <NamedRow kind={LINK} id={id} />}
      {kind === 'commission' && <NamedRow kind={COMMISSION} id={id} />}
      {kind === 'payout' && <NamedRow kind={PAYOUT} id={id} />}
    </ProgramContext.Provider>
  );
}

function NamedRow<Row extends { readonly id: number }>({
  kind: { list, permission, nameOf, pathOf },
  id,
}: {
  kind: NamedKind<Row>;
  id: number;
}): JSX.Element {
  const { api, page, may } = useProgram();
  const { data } = useApi<ItemReply<Row>>(`${api}/${list}/${id}`, {}, { enabled: may(permission) });
  if (!data) return <>{id}</>;
  return <Link to={page + pathOf(data.data)}>{nameOf(data.data)}</Link>;
}
