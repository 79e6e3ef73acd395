import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as earnings from '#messages/portal-earnings.ts';
import * as messages from '#messages/portal-payouts.tsx';
import { PORTAL_COMMISSIONS } from '../../api/portal-requests.ts';
import type { PortalCommission, PortalPayoutDetail } from '../../api/types.ts';
import { formatMoney } from '../../format/money.ts';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Link } from '../../ui/link.tsx';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton, Status } from '../../ui/state.tsx';
import { Table } from '../../ui/table.tsx';
import { useList } from '../../ui/use-list.ts';
import { Time } from '../../ui/values.tsx';
import { commissionColumns } from '../earnings/commission-columns.tsx';
import { useEnrollment } from '../enrollment.ts';
import { usePayout } from './use-payout.ts';

/** One payout: its state, its position in the ledger, and the commissions that it contains. */
export function PortalPayout(): JSX.Element {
  const { page } = useEnrollment();
  const { id, payout, reply } = usePayout();
  return (
    <Page
      title={messages.payoutNumber(id)}
      above={<Link to={`${page}/payouts`}>{common.payouts}</Link>}
      actions={
        payout?.status === 'paid' && (
          <Link to={`${page}/payouts/${id}/receipt`} button="primary">
            {messages.receipt}
          </Link>
        )
      }
    >
      {reply.error ? (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      ) : (
        <div class="stack">
          {payout ? <Summary payout={payout} /> : <Skeleton height="160px" />}
          {payout?.status !== 'cancelled' && <Commissions id={id} payout={payout} page={page} />}
        </div>
      )}
    </Page>
  );
}

function Summary({ payout }: { payout: PortalPayoutDetail }): JSX.Element {
  const { status, amount_cents, currency, reference } = payout;
  return (
    <div class="grid">
      <section class={`card verdict ${status === 'cancelled' ? 'bad' : 'good'}`} aria-label={common.payout}>
        <div class="row">
          <strong class="verdict-amount">{formatMoney(amount_cents, currency)}</strong>
          <Status status={status} />
        </div>
        <p>{messages.meanings[status]}</p>
        <dl class="facts">
          <dt>{messages.createdAt}</dt>
          <dd>
            <Time at={payout.created_at} />
          </dd>
          {payout.paid_at !== null && (
            <>
              <dt>{messages.paidOn}</dt>
              <dd>
                <Time at={payout.paid_at} />
              </dd>
            </>
          )}
          {payout.cancelled_at !== null && (
            <>
              <dt>{messages.canceledAt}</dt>
              <dd>
                <Time at={payout.cancelled_at} />
              </dd>
            </>
          )}
          {reference !== null && (
            <>
              <dt>{messages.reference}</dt>
              <dd>{reference}</dd>
            </>
          )}
        </dl>
      </section>
      <LedgerPlace payout={payout} />
    </div>
  );
}

function LedgerPlace({
  payout: { ledger_position, ledger_hash },
}: {
  payout: PortalPayoutDetail;
}): JSX.Element {
  return (
    <section class="card" aria-labelledby="ledger">
      <h2 id="ledger">{messages.ledger}</h2>
      {ledger_hash === null ? (
        <p class="quiet">{messages.notSealed}</p>
      ) : (
        <div class="stack">
          <dl class="facts">
            <dt>{messages.ledgerEntry}</dt>
            <dd>{ledger_position}</dd>
            <dt>{messages.ledgerHash}</dt>
            <dd>
              <code>{ledger_hash}</code>
            </dd>
          </dl>
          <p class="quiet small">{messages.ledgerHint}</p>
        </div>
      )}
    </section>
  );
}

function Commissions({
  id,
  payout,
  page,
}: {
  id: number;
  payout: PortalPayoutDetail | undefined;
  page: string;
}): JSX.Element {
  const query = { payout_id: id };
  const commissions = useList<PortalCommission>(PORTAL_COMMISSIONS, query);
  return (
    <section aria-labelledby="commissions">
      <div class="row apart section-title">
        <h2 id="commissions">{messages.commissions(payout?.commissions ?? 0)}</h2>
        <CsvLink path={`${PORTAL_COMMISSIONS}.csv`} query={query} />
      </div>
      <Table
        label={common.commissions}
        // The commissions of a payout are no longer on hold, so the date when a hold ends is left out.
        columns={commissionColumns(page).filter(({ title }) => title !== earnings.payableFrom)}
        {...commissions}
        loadingRows={3}
        empty={messages.noCommissions}
      />
    </section>
  );
}
