import type { JSX } from 'preact';
import type { ExplanationReader } from '#messages/explanation.ts';
import * as messages from '#messages/why.tsx';
import type { TraceStep } from '../../api/types.ts';
import { formatExplanation } from '../../format/explanation.ts';
import { formatMoney } from '../../format/money.ts';
import { Time } from '../../ui/values.tsx';
import { entryCents, numberIn, textIn } from './trace.ts';

const HASH_SHOWN = 12;

/** The ledger entries of a commission, with their positions in the hash chain. */
export function Ledger({
  steps,
  reader,
}: {
  steps: readonly TraceStep[];
  reader?: ExplanationReader;
}): JSX.Element {
  return (
    <section class="card" aria-labelledby="ledger">
      <h2 id="ledger">{messages.ledger}</h2>
      <ol class="entries">
        {steps.map((step) => {
          const { detail } = step;
          const hash = textIn(detail, 'chain_hash');
          return (
            <li key={numberIn(detail, 'id')}>
              <div class="row apart">
                <strong>{formatMoney(entryCents(step), textIn(detail, 'currency') ?? 'USD')}</strong>
                <span class="quiet small">
                  <Time at={step.at} />
                </span>
              </div>
              <p class="small">{formatExplanation(step.why, reader)}</p>
              <p class="quiet small">
                {hash === null
                  ? messages.notSealed
                  : messages.ledgerEntry(
                      numberIn(detail, 'chain_position'),
                      <code title={hash}>{hash.slice(0, HASH_SHOWN)}…</code>,
                    )}
              </p>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
