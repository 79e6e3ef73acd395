import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/why.tsx';
import type { WholeTrace } from '../../api/read-trace.ts';
import type { Commission, ItemReply, Trace } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { usePartner } from '../../api/use-partner.ts';
import { formatExplanation } from '../../format/explanation.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { Candidates } from '../../ui/candidates.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, Skeleton, Status } from '../../ui/state.tsx';
import { useQueryState } from '../../ui/use-query-state.ts';
import { Time } from '../../ui/values.tsx';
import { CommissionStatus } from '../commissions/commission-status.tsx';
import { Ledger } from './ledger.tsx';
import { useRefusals } from './refusals.tsx';
import { Timeline } from './timeline.tsx';
import {
  candidatesOf,
  decisionOf,
  decisionsOf,
  deductedBySeveral,
  happenedAt,
  isBelowMinimum,
  isTooLate,
  latestChangeOf,
  netCents,
  numberIn,
  type SaleDecision,
  simulatorQuery,
  type TraceSearch,
  textIn,
} from './trace.ts';
import { WindowRuler } from './window-ruler.tsx';

/** The decision about one sale, with the steps before and after it. */
export function Story({
  trace,
  search,
  text,
}: {
  trace: WholeTrace;
  search: TraceSearch;
  /** What the user has searched for. */
  text: string;
}): JSX.Element {
  const [{ sale }, change] = useQueryState();
  const latestFirst = decisionsOf(trace);
  const searched = decisionOf(latestFirst, search);
  const decisions = searched ? [searched, ...latestFirst.filter((one) => one !== searched)] : latestFirst;
  const selected = decisions.find(({ saleId }) => String(saleId) === sale) ?? searched;
  // The text may be another id of the payment, such as a Stripe charge. The trace does not contain these ids.
  const isOtherId =
    !selected && search.transaction_id !== undefined && decisions.length === 1 && trace.missingSteps === 0;
  const chosen = isOtherId ? decisions[0] : selected;
  return (
    <div class="stack">
      {decisions.length > 0 && (decisions.length > 1 || !chosen) && (
        <nav class="tabs" aria-label={messages.salesOfCustomer}>
          {decisions.map((decision) => (
            <button
              key={decision.saleId}
              type="button"
              class="tab"
              aria-current={decision === chosen ? 'true' : undefined}
              {...(decision === chosen && { ref: showInRow })}
              onClick={() => change({ sale: String(decision.saleId) })}
            >
              {decision.transactionId ?? messages.saleNumber(decision.saleId)}
              <span class="count">{formatMoney(decision.amountCents, decision.currency)}</span>
            </button>
          ))}
        </nav>
      )}
      {isOtherId && <p class="notice">{messages.otherId(text)}</p>}
      {chosen ? (
        <Verdict decision={chosen} trace={trace} />
      ) : (
        <section class="card">
          <Empty>
            {decisions.length > 0 || trace.missingSteps > 0 ? (
              messages.otherSales(text)
            ) : (
              <NoSale text={text} />
            )}
          </Empty>
        </section>
      )}
      {chosen?.verdict && <WindowRuler decision={chosen} customer={trace.customer} />}
      {chosen?.verdict && candidatesOf(chosen.verdict).length > 0 && (
        <Candidates candidates={candidatesOf(chosen.verdict)} />
      )}
      <div class="grid">
        <section class="card" aria-labelledby="timeline">
          <h2 id="timeline">{messages.timeline}</h2>
          <Timeline
            steps={trace.steps}
            missing={trace.missingSteps}
            highlighted={chosen}
            showPartner={(id) => <PartnerLink id={id} />}
          />
        </section>
        <div class="stack">
          <CustomerCard trace={trace} />
          {chosen && chosen.ledger.length > 0 && <Ledger steps={chosen.ledger} />}
        </div>
      </div>
    </div>
  );
}

/** Says that no sale is recorded, and whether one was rejected. */
function NoSale({ text }: { text: string }): JSX.Element {
  const { data } = useRefusals(text);
  const isRejected = data?.data.some(({ route }) => route === 'sale');
  return <>{isRejected ? messages.saleRejected : messages.noSale}</>;
}

/** Scrolls a tab into view. Only the row of tabs is scrolled, not the page. */
function showInRow(tab: HTMLElement | null): void {
  const row = tab?.parentElement;
  if (!tab || !row) return;
  const start = tab.offsetLeft - row.offsetLeft;
  if (start < row.scrollLeft || start + tab.offsetWidth > row.scrollLeft + row.clientWidth)
    row.scrollLeft = start;
}

function Verdict({ decision, trace }: { decision: SaleDecision; trace: WholeTrace }): JSX.Element {
  const { page, program, may } = useProgram();
  const { verdict, amountCents, currency, transactionId } = decision;
  const earned = verdict?.step === 'commission' ? netCents(verdict) : 0;
  const earnedIn = (verdict && textIn(verdict.detail, 'currency')) ?? program.currency;
  const commissionId = verdict?.step === 'commission' ? numberIn(verdict.detail, 'id') : null;
  const simulation = simulatorQuery(decision, trace.customer.partner_id);
  const latest = latestChangeOf(decision);
  const deducted = deductedBySeveral(decision);
  const tone = verdict === undefined ? '' : earned > 0 ? 'good' : 'bad';
  return (
    <section class={`card verdict ${tone}`} aria-label={messages.verdict}>
      <div class="row">
        <strong class="verdict-amount">
          {verdict === undefined
            ? trace.missingSteps > 0
              ? messages.decisionMissing
              : messages.undecided
            : verdict.step === 'commission'
              ? formatMoney(earned, earnedIn)
              : messages.noCommission}
        </strong>
        {verdict && commissionId !== null && (
          <VerdictStatus commissionId={commissionId} traced={textIn(verdict.detail, 'status')} />
        )}
      </div>
      <p>
        {verdict
          ? formatExplanation(verdict.why)
          : trace.missingSteps > 0
            ? messages.decisionMissingReason
            : messages.undecidedReason}
      </p>
      {latest && <p>{formatExplanation(latest.why)}</p>}
      {deducted > 0 && <p>{messages.deductedInTotal(formatMoney(deducted, earnedIn))}</p>}
      <div class="row apart">
        <p class="quiet small">
          {messages.sale(
            transactionId ?? decision.saleId,
            formatMoney(amountCents, currency),
            <Time at={happenedAt(decision.sale)} />,
          )}
        </p>
        {may('policy:list') && !isBelowMinimum(decision) && (
          <Link to={`${page}/policies?${simulation}#simulator`} button="normal">
            {isTooLate(decision) ? messages.tryWindow : messages.tryPolicy}
          </Link>
        )}
      </div>
    </section>
  );
}

/**
 * The current status of the commission. The commission is loaded separately, because the trace does not say whether the
 * commission needs an approval.
 */
function VerdictStatus({
  commissionId,
  traced,
}: {
  commissionId: number;
  /** The status in the trace. */
  traced: string | null;
}): JSX.Element {
  const { api } = useProgram();
  const { data, error } = useApi<ItemReply<Commission>>(`${api}/commissions/${commissionId}`);
  const commission = data?.data.id === commissionId ? data.data : undefined;
  if (commission) return <CommissionStatus commission={commission} />;
  return error && traced !== null ? <Status status={traced} pending="info" /> : <Skeleton width="64px" />;
}

function CustomerCard({ trace: { customer } }: { trace: Trace }): JSX.Element {
  return (
    <section class="card" aria-labelledby="customer">
      <h2 id="customer">{messages.customer}</h2>
      <dl class="facts">
        <dt>{common.partner}</dt>
        <dd>
          {customer.partner_id === null ? messages.noPartner : <PartnerLink id={customer.partner_id} />}
        </dd>
        <dt>{messages.customerKey}</dt>
        <dd>
          {customer.customer_key ?? '–'}
          {customer.customer_key_state === 'claimed' && <span class="quiet"> {messages.claimedKey}</span>}
        </dd>
        <dt>{common.email}</dt>
        <dd>{customer.email ?? '–'}</dd>
        <dt>{messages.clickId}</dt>
        <dd>
          <code>{customer.click_id}</code>
        </dd>
        <dt>{messages.lastClick}</dt>
        <dd>
          <Time at={customer.last_click_at} />
        </dd>
        <dt>{messages.signedUp}</dt>
        <dd>
          <Time at={customer.signup_date} />
        </dd>
        <dt>{messages.firstPurchase}</dt>
        <dd>
          <Time at={customer.first_purchase_date} />
        </dd>
      </dl>
    </section>
  );
}

function PartnerLink({ id }: { id: number }): JSX.Element {
  const { page, may } = useProgram();
  const name = usePartner(id)?.name ?? common.partnerNumber(id);
  return may('partner:list') ? <Link to={`${page}/partners/${id}`}>{name}</Link> : <span>{name}</span>;
}
