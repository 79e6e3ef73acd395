import { currencyExponent } from '@affkit/protocol/currency-exponent';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/welcome-commission.ts';
import type { CreatedProgram, ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { TextField } from '../../ui/controls.tsx';
import { CommissionFields } from '../policies/commission-fields.tsx';
import {
  checkTerms,
  exampleCents,
  type ProgramDraft,
  programBody,
  type TermsDraft,
} from './program-draft.ts';
import { StepForm } from './step-form.tsx';

const PROGRAMS_PATH = '/api/advertiser/affiliate-programs';
const EXAMPLE_SALE = 100;

/** The step that sets the commission. It then creates the program. */
export function CommissionStep({
  program,
  draft,
  onChange,
  onCreated,
}: {
  program: ProgramDraft;
  draft: TermsDraft;
  onChange: (draft: TermsDraft) => void;
  onCreated: (created: CreatedProgram) => void;
}): JSX.Element {
  const { mutateAsync, isPending, error } = useChange<ItemReply<CreatedProgram>>(PROGRAMS_PATH);
  const [isChecked, setChecked] = useState(false);
  const set = (change: Partial<TermsDraft>) => onChange({ ...draft, ...change });
  const { currency } = program;
  const found = checkTerms(draft, currency);
  const errors = isChecked ? found : {};
  const create = async () => {
    setChecked(true);
    if (Object.keys(found).length > 0) return;
    const body = programBody(program, draft);
    const ifLost = messages.lost;
    const created = await mutateAsync({ method: 'POST', path: PROGRAMS_PATH, body, ifLost }).catch(
      () => null,
    );
    if (created) onCreated(created.data);
  };
  return (
    <StepForm
      title={messages.title}
      intro={messages.intro}
      submit={messages.submit}
      busy={isPending}
      error={error}
      onSubmit={() => void create()}
    >
      <div class="grid">
        <CommissionFields draft={draft} onChange={set} errors={errors} currency={currency} />
        <TextField
          label={messages.windowDays}
          hint={messages.windowHint}
          inputMode="numeric"
          value={draft.windowDays}
          onInput={(windowDays) => set({ windowDays })}
          error={errors.windowDays}
        />
        <TextField
          label={messages.holdDays}
          hint={messages.holdHint}
          inputMode="numeric"
          value={draft.holdDays}
          onInput={(holdDays) => set({ holdDays })}
          error={errors.holdDays}
        />
      </div>
      <Example draft={draft} currency={currency} />
    </StepForm>
  );
}

function Example({ draft, currency }: { draft: TermsDraft; currency: string }): JSX.Element {
  const saleCents = EXAMPLE_SALE * 10 ** currencyExponent(currency);
  const cents = exampleCents(draft, saleCents, currency);
  const isValid = cents !== null && Object.keys(checkTerms(draft, currency)).length === 0;
  if (!isValid) return <p class="notice">{messages.noExample}</p>;
  const windowDays = Number(draft.windowDays);
  const holdDays = Number(draft.holdDays);
  const sale = formatMoney(saleCents, currency);
  const commission = formatMoney(cents, currency);
  return (
    <p class="notice">
      {messages.example({ sale, commission, windowDays })}{' '}
      {holdDays === 0 ? messages.payableAtOnce : messages.payableAfter(holdDays)}
    </p>
  );
}
