import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import type { CommissionTotal, ItemReply, Partner } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Money } from '../../ui/values.tsx';
import { type CurrencyRow, moneyRows } from './money-rows.ts';

/** What the partner has earned and is owed, a row for each currency. */
export function PartnerMoney({
  partnerId,
  partner,
}: {
  partnerId: string;
  partner: Partner | undefined;
}): JSX.Element {
  const { api, program } = useProgram();
  const totals = useApi<ItemReply<readonly CommissionTotal[]>>(`${api}/commissions/totals`, {
    partner_id: partnerId,
  });
  const rows =
    partner && totals.data ? moneyRows(totals.data.data, partner.balances, program.currency) : undefined;
  return (
    <section aria-labelledby="money">
      <h2 id="money" class="section-title">
        {messages.earnings}
      </h2>
      <Table
        label={messages.earnings}
        columns={COLUMNS}
        rows={rows}
        loadingRows={1}
        error={totals.error}
        onRetry={() => void totals.refetch()}
        empty={null}
      />
    </section>
  );
}

const amount = (title: string, cents: (row: CurrencyRow) => number): Column<CurrencyRow> => ({
  title,
  align: 'end',
  cell: (row) => <Money cents={cents(row)} currency={row.currency} />,
});

const COLUMNS: readonly Column<CurrencyRow>[] = [
  { title: messages.currency, cell: ({ currency }) => currency },
  amount(common.statuses.pending, ({ pending }) => pending),
  amount(common.statuses.approved, ({ approved }) => approved),
  amount(common.statuses.paid, ({ paid }) => paid),
  amount(common.payable, ({ payable }) => payable),
  amount(common.balance, ({ balance }) => balance),
];
