import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { refusals } from '#messages/refusals.ts';
import * as messages from '#messages/why.tsx';
import type { ListReply, Refusal } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { Time } from '../../ui/values.tsx';

const SHOWN_REFUSALS = 20;

/** Rejected calls that contain the search text. They often explain why a sale is missing. */
export function Refusals({ query, isFound }: { query: string; isFound: boolean }): JSX.Element | null {
  const { api, page, may } = useProgram();
  const reply = useApi<ListReply<Refusal>>(`${api}/refusals`, { q: query, pageSize: SHOWN_REFUSALS });
  if (reply.error) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />;
  if (!reply.data) return <Skeleton height="80px" />;
  const rows = reply.data.data;
  if (rows.length === 0) {
    return isFound ? null : (
      <section class="card">
        <Empty
          action={
            may('partner:list') && (
              <Link to={`${page}/partners?q=${encodeURIComponent(query)}`} button="normal">
                {messages.searchPartners}
              </Link>
            )
          }
        >
          {messages.nothingFound(query)}
        </Empty>
      </section>
    );
  }
  return (
    <section class="card" aria-labelledby="refusals">
      <h2 id="refusals">{messages.rejectedCalls}</h2>
      {!isFound && <p>{messages.onlyRejected(query, rows.length)}</p>}
      <ol class="entries">
        {rows.map((refusal) => (
          <li key={refusal.id}>
            <div class="row apart">
              <strong>{common.eventNames[refusal.route]}</strong>
              <span class="quiet small">
                <Time at={refusal.refused_at} />
              </span>
            </div>
            <p>{refusals[refusal.code] ?? refusal.reason}</p>
            <p class="quiet small">
              {refusal.reason}
              <br />
              {(refusal.has_token ? messages.callFacts : messages.callFactsWithoutToken)(
                refusal.status,
                <code>{refusal.code}</code>,
                <code>{refusal.request_id}</code>,
              )}
            </p>
            <details open={!isFound && rows.length === 1}>
              <summary class="quiet small">{messages.callFields}</summary>
              <dl class="facts small">
                {Object.entries(refusal.body).map(([name, value]) => (
                  <RefusalField key={name} name={name} value={String(value)} />
                ))}
              </dl>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}

function RefusalField({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
