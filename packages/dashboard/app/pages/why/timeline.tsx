import type { ComponentChildren, JSX } from 'preact';
import type { ExplanationReader } from '#messages/explanation.ts';
import * as messages from '#messages/why.tsx';
import type { TraceStep } from '../../api/types.ts';
import { formatExplanation } from '../../format/explanation.ts';
import { Time } from '../../ui/values.tsx';
import { happenedAt, numberIn, type SaleDecision } from './trace.ts';

const STEP_TONES: Readonly<Partial<Record<TraceStep['step'], string>>> = {
  commission: 'good',
  approval: 'good',
  payout: 'good',
  no_commission: 'bad',
  rejection: 'bad',
  refund: 'bad',
  missing: 'warn',
  note: 'warn',
};

/** All recorded steps of a customer, in order. The ledger entries are in a separate list. */
export function Timeline({
  steps,
  missing,
  highlighted,
  reader,
  showPartner,
}: {
  steps: readonly TraceStep[];
  /** The number of steps that were not read. */
  missing: number;
  highlighted: Pick<SaleDecision, 'verdict'> | undefined;
  reader?: ExplanationReader;
  /** Names a partner. Without this function, the clicks do not say whose link was visited. */
  showPartner?: (id: number) => JSX.Element;
}): JSX.Element {
  const shown = steps.filter(({ step }) => step !== 'ledger');
  const showPartnerOf = ({ detail }: TraceStep) => {
    const id = numberIn(detail, 'partner_id');
    return id !== null && showPartner?.(id);
  };
  return (
    <>
      {missing > 0 && <p class="notice">{messages.stepsMissing(missing)}</p>}
      <ol class="timeline">
        {shown.map((step, index) => (
          <li
            key={index}
            class={
              [STEP_TONES[step.step], step === highlighted?.verdict && 'here'].filter(Boolean).join(' ') ||
              undefined
            }
          >
            <div class="row apart">
              <div class="row">
                <strong>{messages.steps[step.step]}</strong>
                {step.step === 'click' && showPartnerOf(step)}
              </div>
              <span class="quiet small">
                <Time at={happenedAt(step)} />
              </span>
            </div>
            {/* The card of the verdict already shows this explanation. */}
            {step !== highlighted?.verdict && <p>{formatExplanation(step.why, reader)}</p>}
            <StepFacts step={step} />
          </li>
        ))}
      </ol>
    </>
  );
}

/** The recorded fields of a step, as returned by the API. */
function StepFacts({ step: { reason, detail } }: { step: TraceStep }): JSX.Element {
  const fields = Object.entries(detail).filter(
    ([, value]) => value !== null && typeof value !== 'object' && value !== '',
  );
  return (
    <details>
      <summary class="quiet small">{messages.recordedFields}</summary>
      <dl class="facts small">
        <StepFact name="reason" value={<code>{reason}</code>} />
        {fields.map(([name, value]) => (
          <StepFact key={name} name={name} value={String(value)} />
        ))}
      </dl>
    </details>
  );
}

function StepFact({ name, value }: { name: string; value: ComponentChildren }): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
