import type { JSX } from 'preact';
import * as messages from '#messages/payout-batches.ts';
import type { ItemReply, PayoutBatchDetail, PayoutBatchItem } from '../../api/types.ts';
import { type CachedReply, useApi } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { Badge, ErrorNotice, Skeleton, type Tone } from '../../ui/state.tsx';
import { Results } from './results.tsx';

const MAX_SHOWN = 200;
const FIRST_READS = 30;
const MOVING = ['queued', 'sending', 'accepted'];

/** Refreshes often at first, and less often later, because an unclaimed payment may take 30 days. */
function refreshMs({ reply: { data }, count }: CachedReply<ItemReply<PayoutBatchDetail>>): number | false {
  const isMoving = data.items.some(({ transfer_state: state }) => state !== null && MOVING.includes(state));
  return isMoving && (count < FIRST_READS ? 2_000 : 15_000);
}

/** The result of each payout of a batch. Payouts that need attention come first. */
export function BatchProgress({ id }: { id: number }): JSX.Element {
  const { api } = useProgram();
  const { data, error, refetch } = useApi<ItemReply<PayoutBatchDetail>>(
    `${api}/payout-batches/${id}`,
    {},
    { refreshMs },
  );
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height="120px" />;
  const { items, currency, channel } = data.data;
  const rows = items.map((item) => ({ item, state: stateOf(item) }));
  rows.sort((a, b) => Number(isUrgent(b.state)) - Number(isUrgent(a.state)));
  return (
    <>
      <div role="status">
        <Results batch={data.data} />
      </div>
      <ul class="entries" aria-label={messages.results}>
        {rows.slice(0, MAX_SHOWN).map(({ item, state }) => (
          <li key={item.payout_id}>
            <div class="row apart">
              <span>{messages.itemOf(item.partner_name, formatMoney(item.amount_cents, currency))}</span>
              <Badge tone={TONES[state]}>{messages.states[state]}</Badge>
            </div>
            {state === 'unclear' && (
              <span class="small">
                {messages.unclearAdvice(
                  messages.providerOf(channel) ?? '',
                  item.transfer_id ?? messages.reference(id, item.payout_id),
                )}
              </span>
            )}
            <Detail item={item} />
          </li>
        ))}
      </ul>
      {rows.length > MAX_SHOWN && <p class="quiet">{messages.more(rows.length - MAX_SHOWN)}</p>}
    </>
  );
}

function Detail({ item }: { item: PayoutBatchItem }): JSX.Element | null {
  const text = item.reason ?? item.transfer_error ?? item.reference;
  return text === null ? null : <span class="quiet small">{text}</span>;
}

type State = keyof typeof messages.states;

const TONES: Readonly<Record<State, Tone | undefined>> = {
  sent: undefined,
  queued: undefined,
  sending: 'info',
  accepted: 'info',
  unclear: 'bad',
  paid: 'good',
  failed: 'bad',
  cancelled: undefined,
};

/** Returns the result of a payout or, while there is none, its state at the payment service. */
function stateOf({ status, transfer_state: state }: PayoutBatchItem): State {
  return status === 'sent' && state !== null && state !== 'done' ? state : status;
}

function isUrgent(state: State): boolean {
  return state === 'unclear' || state === 'failed';
}
