import * as common from '#messages/common.ts';
import * as messages from '#messages/portal-earnings.ts';
import type { PortalCommission } from '../../api/types.ts';
import { NetAmount } from '../../pages/commissions/net-amount.tsx';
import { isOnHold } from '../../pages/commissions/on-hold.ts';
import { Link } from '../../ui/link.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/values.tsx';
import { CommissionStatus } from './commission-status.tsx';
import { PayableFrom } from './payable-from.tsx';

/** The columns of a list of commissions. @param page path of the program's pages */
export function commissionColumns(page: string): readonly Column<PortalCommission>[] {
  const whyOf = ({ id }: PortalCommission) => `${page}/earnings/${id}`;
  return [
    {
      title: common.commission,
      cell: (commission) => (
        <>
          <Link to={whyOf(commission)}>#{commission.id}</Link>
          {commission.refund_reason !== null && (
            <span class="sub line" title={commission.refund_reason}>
              {commission.refund_reason}
            </span>
          )}
        </>
      ),
    },
    // On a narrow screen, the link Why is beside the last line of a card. The date must not be in this line, because
    // there is no space for the link beside a date with a time.
    {
      title: common.date,
      cell: ({ commission_date }) => <Time at={commission_date} />,
    },
    {
      title: common.status,
      cell: (commission) => <CommissionStatus commission={commission} />,
    },
    {
      title: messages.payableFrom,
      cell: (commission) =>
        isOnHold(commission) ? <PayableFrom commission={commission} /> : <Time at={null} dateOnly />,
    },
    {
      title: common.amount,
      align: 'end',
      size: 'main',
      cell: (commission) => <NetAmount commission={commission} />,
    },
    {
      title: '',
      cell: (commission) => (
        <Link to={whyOf(commission)} label={messages.explain(commission.id)}>
          {common.why}
        </Link>
      ),
    },
  ];
}
