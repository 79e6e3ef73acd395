import type { JSX } from 'preact';
import * as messages from '#messages/candidates.ts';
import * as common from '#messages/common.ts';
import { usePartner } from '../api/use-partner.ts';
import { formatMoney } from '../format/money.ts';
import { useProgram } from '../session/session.tsx';
import { Badge } from './state.tsx';

/** A policy that a decision considered, with the reason why it was chosen or not. */
export interface Candidate {
  readonly policy_id: number | null;
  readonly product_id: string | null;
  readonly partner_id: number | null;
  readonly type: 'percent' | 'flat';
  readonly rate_bps: number | null;
  readonly amount_cents: number | null;
  readonly verdict: string;
  readonly is_draft?: boolean;
}

export function Candidates({ candidates }: { candidates: readonly Candidate[] }): JSX.Element {
  const { program } = useProgram();
  return (
    <section class="card" aria-labelledby="candidates">
      <h2 id="candidates">{messages.candidates}</h2>
      <ul class="candidates">
        {candidates.map((candidate, index) => {
          const isChosen = candidate.verdict === 'chosen';
          return (
            <li key={`${candidate.policy_id}-${index}`} class={isChosen ? 'chosen' : undefined}>
              <strong>{describeTerms(candidate, program.currency)}</strong>
              <span class="quiet">
                <PolicyScope candidate={candidate} />
              </span>
              <span>
                {isChosen ? (
                  <Badge tone="good">{messages.applied}</Badge>
                ) : (
                  (messages.lostBecause[candidate.verdict] ?? candidate.verdict)
                )}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Formats the terms of a policy, such as `20%` or `$15.00 per sale`. */
function describeTerms(
  { type, rate_bps, amount_cents }: Pick<Candidate, 'type' | 'rate_bps' | 'amount_cents'>,
  currency: string,
): string {
  return type === 'percent'
    ? `${(rate_bps ?? 0) / 100}%`
    : messages.perSale(formatMoney(amount_cents ?? 0, currency));
}

function PolicyScope({
  candidate: { policy_id, product_id, partner_id, is_draft },
}: {
  candidate: Candidate;
}): JSX.Element {
  const partner = usePartner(partner_id);
  const name = partner_id === null ? null : (partner?.name ?? common.partnerNumber(partner_id));
  return <>{messages.policyScope(is_draft ? null : policy_id, product_id, name)}</>;
}
