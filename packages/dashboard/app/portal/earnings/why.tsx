import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useRoute } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as portal from '#messages/portal.tsx';
import * as messages from '#messages/portal-earnings.ts';
import * as why from '#messages/why.tsx';
import { ApiError } from '../../api/client.ts';
import { PORTAL_COMMISSIONS } from '../../api/portal-requests.ts';
import { readTrace, type WholeTrace } from '../../api/read-trace.ts';
import type { ItemReply, PortalCommission } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { formatExplanation } from '../../format/explanation.ts';
import { formatMoney } from '../../format/money.ts';
import { isOnHold } from '../../pages/commissions/on-hold.ts';
import { Ledger } from '../../pages/why/ledger.tsx';
import { Timeline } from '../../pages/why/timeline.tsx';
import { WindowRuler } from '../../pages/why/window-ruler.tsx';
import { Link } from '../../ui/link.tsx';
import { netCentsOf } from '../../ui/net-sums.ts';
import { Page } from '../../ui/page.tsx';
import { ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { Money, Time } from '../../ui/values.tsx';
import { useEnrollment } from '../enrollment.ts';
import { CommissionStatus } from './commission-status.tsx';
import { PayableFrom } from './payable-from.tsx';
import { storyOf } from './story.ts';

/** Explains one commission to its partner: what it is worth and why, and every step that led to it. */
export function PortalWhy(): JSX.Element {
  const { page, program } = useEnrollment();
  const id = useRoute().params['commissionId'] ?? '';
  const reply = useApi<ItemReply<PortalCommission>>(`${PORTAL_COMMISSIONS}/${id}`);
  // The reply contains the previous commission until the requested commission has arrived.
  const commission = String(reply.data?.data.id) === id ? reply.data?.data : undefined;
  const tracePath = `/api/advertiser/affiliate-programs/${commission?.program_id ?? program.program_id}/trace`;
  const trace = useQuery<WholeTrace | null, Error>({
    queryKey: [tracePath, id],
    queryFn: ({ signal }) => findTrace(tracePath, id, signal),
    enabled: commission !== undefined,
  });
  return (
    <Page
      title={messages.commissionNumber(Number(id))}
      above={<Link to={`${page}/earnings`}>{portal.earnings}</Link>}
    >
      {reply.error ? (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      ) : commission === undefined ? (
        <Loading />
      ) : (
        <div class="stack">
          <Verdict commission={commission} trace={trace.data ?? null} />
          {trace.error ? (
            <ErrorNotice error={trace.error} onRetry={() => void trace.refetch()} />
          ) : trace.data === undefined ? (
            <Loading />
          ) : (
            <Steps commission={commission} trace={trace.data} page={page} />
          )}
        </div>
      )}
    </Page>
  );
}

function Loading(): JSX.Element {
  return (
    <div class="stack" aria-busy="true">
      <Skeleton height="120px" />
      <Skeleton height="240px" />
    </div>
  );
}

/** Resolves with null when the partner may no longer see the customer or the program. */
async function findTrace(path: string, id: string, signal: AbortSignal): Promise<WholeTrace | null> {
  try {
    return await readTrace(path, { commission_id: id }, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function Verdict({
  commission,
  trace,
}: {
  commission: PortalCommission;
  trace: WholeTrace | null;
}): JSX.Element {
  const { status, disputed, needs_approval, currency } = commission;
  const net = netCentsOf(commission);
  const verdict = trace ? storyOf(trace, commission).verdict : undefined;
  const meaning = disputed
    ? messages.disputedMeaning
    : needs_approval
      ? messages.inReviewMeaning
      : messages.meanings[status];
  return (
    <section class={`card verdict ${net > 0 ? 'good' : 'bad'}`} aria-label={messages.verdict}>
      <div class="row">
        <strong class="verdict-amount">{formatMoney(net, currency)}</strong>
        <CommissionStatus commission={commission} />
      </div>
      {verdict && <p>{formatExplanation(verdict.why, 'partner')}</p>}
      <p class="quiet">{meaning}</p>
    </section>
  );
}

function Steps({
  commission,
  trace,
  page,
}: {
  commission: PortalCommission;
  trace: WholeTrace | null;
  page: string;
}): JSX.Element {
  const story = trace && storyOf(trace, commission);
  return (
    <>
      {trace && story?.sale && (
        <WindowRuler decision={{ sale: story.sale, verdict: story.verdict }} customer={trace.customer} />
      )}
      <div class="grid">
        <section class="card" aria-labelledby="timeline">
          <h2 id="timeline">{why.timeline}</h2>
          {trace && story ? (
            <Timeline steps={story.steps} missing={trace.missingSteps} highlighted={story} reader="partner" />
          ) : (
            <p class="quiet">{messages.noTrace}</p>
          )}
        </section>
        <div class="stack">
          <EarningFacts commission={commission} clickId={trace?.customer.click_id ?? null} page={page} />
          {story && story.ledger.length > 0 && <Ledger steps={story.ledger} reader="partner" />}
        </div>
      </div>
    </>
  );
}

function EarningFacts({
  commission,
  clickId,
  page,
}: {
  commission: PortalCommission;
  clickId: string | null;
  page: string;
}): JSX.Element {
  const { amount_cents, adjusted_cents, currency, refund_reason, payout_id } = commission;
  // `deducted_cents` would be wrong after a rejection, because it does not include the adjustments, which a rejection
  // deducts too.
  const deducted = amount_cents + adjusted_cents - netCentsOf(commission);
  return (
    <section class="card" aria-labelledby="facts">
      <h2 id="facts">{messages.facts}</h2>
      <dl class="facts">
        <dt>{messages.original}</dt>
        <dd>
          <Money cents={amount_cents} currency={currency} />
        </dd>
        {deducted !== 0 && (
          <>
            <dt>{messages.deducted}</dt>
            <dd>
              <Money cents={-deducted} currency={currency} />
            </dd>
          </>
        )}
        {adjusted_cents !== 0 && (
          <>
            <dt>{messages.adjusted}</dt>
            <dd>
              <Money cents={adjusted_cents} currency={currency} />
            </dd>
          </>
        )}
        {refund_reason !== null && (
          <>
            <dt>{messages.deductionReason}</dt>
            <dd>{refund_reason}</dd>
          </>
        )}
        <dt>{messages.soldOn}</dt>
        <dd>
          <Time at={commission.commission_date} />
        </dd>
        {isOnHold(commission) && (
          <>
            <dt>{messages.payableFrom}</dt>
            <dd>
              <PayableFrom commission={commission} />
            </dd>
          </>
        )}
        <dt>{messages.payout}</dt>
        <dd>
          {payout_id === null ? (
            messages.noPayout
          ) : (
            <Link to={`${page}/payouts/${payout_id}`}>#{payout_id}</Link>
          )}
        </dd>
        {commission.paid_at !== null && (
          <>
            <dt>{common.statuses.paid}</dt>
            <dd>
              <Time at={commission.paid_at} dateOnly />
            </dd>
          </>
        )}
        {clickId !== null && (
          <>
            <dt>{messages.clickId}</dt>
            <dd>
              <code>{clickId}</code>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
