import type { ComponentChildren, JSX } from 'preact';
import * as common from '#messages/common.ts';
import { locale } from '#messages/locale.ts';
import * as details from '#messages/payout-details.ts';
import * as messages from '#messages/portal-payouts.tsx';
import { PORTAL_COMMISSIONS } from '../../api/portal-requests.ts';
import type {
  CommissionTotal,
  ItemReply,
  ListReply,
  PortalCommission,
  PortalPayoutDetail,
} from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatDate } from '../../format/time.ts';
import { Button } from '../../ui/controls.tsx';
import { Link } from '../../ui/link.tsx';
import { netCentsOf } from '../../ui/net-sums.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { useEnrollment } from '../enrollment.ts';
import { receiptRest } from './receipt-lines.ts';
import { usePayout } from './use-payout.ts';

/** A receipt lists this many commissions, and the sum of all others. */
const LISTED = 100;

/** The receipt of a paid payout, to print or to save as PDF. */
export function PortalReceipt(): JSX.Element {
  const { page } = useEnrollment();
  const { id, payout, reply } = usePayout();
  const commissions = useApi<ListReply<PortalCommission>>(PORTAL_COMMISSIONS, {
    payout_id: id,
    pageSize: LISTED,
  });
  const totals = useApi<ItemReply<readonly CommissionTotal[]>>(`${PORTAL_COMMISSIONS}/totals`, {
    payout_id: id,
  });
  const failed = [reply, commissions, totals].find(({ error }) => error !== null);
  const isComplete = payout && commissions.data && totals.data;
  const isPaid = payout?.status === 'paid';
  return (
    <Page
      title={messages.receiptTitle(id)}
      above={<Link to={`${page}/payouts/${id}`}>{messages.payoutNumber(id)}</Link>}
      actions={
        isComplete &&
        isPaid && (
          <Button kind="primary" onClick={() => window.print()}>
            {messages.print}
          </Button>
        )
      }
    >
      {failed?.error ? (
        <ErrorNotice error={failed.error} onRetry={() => void failed.refetch()} />
      ) : !isComplete ? (
        <Skeleton height="480px" />
      ) : !isPaid ? (
        <Empty>{messages.unpaidReceipt}</Empty>
      ) : (
        <ReceiptPaper payout={payout} commissions={commissions.data.data} totals={totals.data.data} />
      )}
    </Page>
  );
}

function ReceiptPaper({
  payout,
  commissions,
  totals,
}: {
  payout: PortalPayoutDetail;
  commissions: readonly PortalCommission[];
  totals: readonly CommissionTotal[];
}): JSX.Element {
  const { currency, amount_cents, reference, paid_at, payee } = payout;
  const rest = receiptRest(amount_cents, commissions, totals);
  return (
    <article class="card receipt" aria-label={messages.receiptTitle(payout.id)}>
      <div class="receipt-head">
        <dl class="facts">
          <dt>{messages.number}</dt>
          <dd>{payout.id}</dd>
          <dt>{messages.date}</dt>
          <dd>
            <Time at={paid_at} dateOnly />
          </dd>
          {payee?.method && (
            <>
              <dt>{messages.method}</dt>
              <dd>{details.methods[payee.method]}</dd>
            </>
          )}
          {reference !== null && (
            <>
              <dt>{messages.reference}</dt>
              <dd>{reference}</dd>
            </>
          )}
        </dl>
        <div class="receipt-amount">
          <span class="quiet">{messages.total}</span>
          <strong>
            <Money cents={amount_cents} currency={currency} />
          </strong>
          <span class="quiet">{currency}</span>
        </div>
      </div>
      <div class="grid">
        <section>
          <h2>{messages.payer}</h2>
          <p>{payout.workspace_name}</p>
          <p class="quiet">{payout.program_name}</p>
        </section>
        <section>
          <h2>{messages.payee}</h2>
          <Payee payout={payout} />
        </section>
      </div>
      <table class="receipt-lines">
        <thead>
          <tr>
            <th scope="col">{messages.commission}</th>
            <th scope="col">{messages.date}</th>
            <th scope="col" class="end">
              {common.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {commissions.map((commission) => (
            <Line
              key={commission.id}
              text={`#${commission.id}`}
              date={formatDate(commission.commission_date)}
              cents={netCentsOf(commission)}
              currency={currency}
            />
          ))}
          {rest.count > 0 && (
            <Line text={messages.furtherCommissions(rest.count)} cents={rest.cents} currency={currency} />
          )}
          {rest.differenceCents !== 0 && (
            <Line
              text={messages.differenceOf(rest.differenceCents)}
              cents={rest.differenceCents}
              currency={currency}
            />
          )}
        </tbody>
        <tfoot>
          <Line text={<strong>{messages.total}</strong>} cents={amount_cents} currency={currency} />
        </tfoot>
      </table>
      <p class="quiet small">{messages.made(payout.program_name, <time>{formatDate(Date.now())}</time>)}</p>
    </article>
  );
}

function Line({
  text,
  date,
  cents,
  currency,
}: {
  text: ComponentChildren;
  date?: string;
  cents: number;
  currency: string;
}): JSX.Element {
  return (
    <tr>
      {date === undefined ? (
        <td colSpan={2}>{text}</td>
      ) : (
        <>
          <td>{text}</td>
          <td>{date}</td>
        </>
      )}
      <td class="end">
        <Money cents={cents} currency={currency} />
      </td>
    </tr>
  );
}

function countryName(code: string): string {
  return new Intl.DisplayNames(locale, { type: 'region' }).of(code) ?? code;
}

/**
 * The name and address of the payee. Without a tax name, it shows the name that the advertiser gave the
 * partner.
 */
function Payee({
  payout: { partner_name, partner_email, payee },
}: {
  payout: PortalPayoutDetail;
}): JSX.Element {
  const address = payee?.address ?? null;
  return (
    <>
      <p>{payee?.tax_name ?? partner_name}</p>
      {address && (
        <address>
          {[
            address.line1,
            address.line2,
            [address.postal_code, address.city].filter(Boolean).join(' '),
            [address.region, countryName(address.country)].filter(Boolean).join(', '),
          ]
            .filter((line) => line !== null && line !== '')
            .map((line) => (
              <div key={line}>{line}</div>
            ))}
        </address>
      )}
      {payee?.tax_id && <p>{messages.taxId(payee.tax_id)}</p>}
      <p class="quiet">{partner_email}</p>
      {!(payee?.tax_name && address) && (
        <p class="quiet small screen-only">
          <Link to="/partner/payout-details">{messages.addDetails}</Link>
        </p>
      )}
    </>
  );
}
