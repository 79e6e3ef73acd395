import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import { refusals } from '#messages/refusals.ts';
import * as messages from '#messages/why.tsx';
import type { Refusal } from '../../api/types.ts';
import { Time } from '../../ui/values.tsx';

/** Rejected calls, each with its fields. */
export function RefusalList({
  rows,
  query,
  isFound,
}: {
  rows: readonly Refusal[];
  query: string;
  /** Whether the search also found a customer. */
  isFound: boolean;
}): JSX.Element {
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
              {refusals[refusal.code] !== undefined && (
                <>
                  {refusal.reason}
                  <br />
                </>
              )}
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
