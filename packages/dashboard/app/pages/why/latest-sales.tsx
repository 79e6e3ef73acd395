import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/why.tsx';
import type { Commission, ListReply } from '../../api/types.ts';
import { apiQuery } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { netCentsOf } from '../../ui/net-sums.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { CommissionStatus } from '../commissions/commission-status.tsx';
import { whyCommission } from './why-path.ts';

const LISTED = 8;

/**
 * A hint on what to search for, and the latest sales with a commission. A click on a sale explains it.
 */
export function LatestSales(): JSX.Element {
  const { api, page, may } = useProgram();
  const isListed = may('commission:list');
  const latest = useQuery({
    ...apiQuery<ListReply<Commission>>(`${api}/commissions`, { pageSize: LISTED }),
    enabled: isListed,
  });
  const columns: readonly Column<Commission>[] = [
    {
      title: common.sale,
      cell: ({ id, transaction_id, partner_name }) => (
        <>
          <Link to={whyCommission(page, id)} whole={transaction_id}>
            {transaction_id}
          </Link>
          <span class="sub">{partner_name}</span>
        </>
      ),
    },
    {
      title: common.status,
      cell: (commission) => <CommissionStatus commission={commission} />,
    },
    { title: common.date, cell: ({ commission_date }) => <Time at={commission_date} /> },
    {
      title: common.commission,
      align: 'end',
      size: 'main',
      cell: (commission) => <Money cents={netCentsOf(commission)} currency={commission.currency} />,
    },
  ];
  return (
    <>
      <p class="quiet">{messages.start}</p>
      {isListed && latest.data?.data.length !== 0 && (
        <section class="stack">
          <h2>{messages.latestSales}</h2>
          <Table
            label={messages.latestSales}
            columns={columns}
            rows={latest.data?.data}
            error={latest.error}
            onRetry={() => void latest.refetch()}
            loadingRows={LISTED}
            empty={null}
          />
        </section>
      )}
    </>
  );
}
