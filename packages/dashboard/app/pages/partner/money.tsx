import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partner.tsx';
import type { CommissionTotal, ItemReply, PartnerDetail } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { Skeleton } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Money } from '../../ui/values.tsx';
import { type CurrencyRow, moneyRows } from './money-rows.ts';

/** The amounts that the partner has earned and is owed, with a row per currency. */
export function PartnerMoney({
  partnerId,
  partner,
}: {
  partnerId: string;
  partner: PartnerDetail | undefined;
}): JSX.Element {
  const { api, program } = useProgram();
  const totals = useApi<ItemReply<readonly CommissionTotal[]>>(`${api}/commissions/totals`, {
    partner_id: partnerId,
  });
  const rows = partner && totals.data && moneyRows(totals.data.data, partner, program.currency);
  const reduced = rows?.filter(({ deducted, paid }) => deducted !== 0 || paid !== 0);
  return (
    <section aria-labelledby="money">
      <h2 id="money" class="section-title">
        {messages.earnings}
      </h2>
      <Table
        label={messages.earnings}
        columns={CURRENCY_COLUMNS}
        rows={rows}
        loadingRows={1}
        error={totals.error}
        onRetry={() => void totals.refetch()}
        empty={null}
      />
      {reduced?.map((row) => (
        <Equation key={row.currency} row={row} />
      ))}
      {!reduced?.length && !totals.error && (
        <p class="quiet small equation">{reduced ? messages.notReduced : <Skeleton width="420px" />}</p>
      )}
    </section>
  );
}

/**
 * Shows how the balance is calculated. After a refund, the balance is not simply the earnings minus the
 * payouts.
 */
function Equation({ row }: { row: CurrencyRow }): JSX.Element {
  const { earned, deducted, writtenOff, paid, balance, toDeduct, currency } = row;
  const format = (cents: number) => formatMoney(cents, currency);
  return (
    <p class="quiet small equation">
      {messages.equation({
        earned: format(earned),
        deducted: format(deducted),
        writtenOff: writtenOff === 0 ? null : format(writtenOff),
        paid: format(paid),
        balance: format(balance),
      })}
      {toDeduct > 0 && ` ${messages.toDeduct(format(toDeduct))}`}
    </p>
  );
}

const amountColumn = (title: string, cents: (row: CurrencyRow) => number): Column<CurrencyRow> => ({
  title,
  align: 'end',
  cell: (row) => <Money cents={cents(row)} currency={row.currency} />,
});

const CURRENCY_COLUMNS: readonly Column<CurrencyRow>[] = [
  { title: messages.currency, cell: ({ currency }) => currency },
  amountColumn(messages.inReview, ({ inReview }) => inReview),
  amountColumn(messages.onHold, ({ onHold }) => onHold),
  amountColumn(common.payable, ({ payable }) => payable),
  amountColumn(messages.inPayout, ({ inPayouts }) => inPayouts),
  amountColumn(common.balance, ({ balance }) => balance),
  amountColumn(common.statuses.paid, ({ paid }) => paid),
];
