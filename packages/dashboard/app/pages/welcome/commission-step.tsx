import { currencyExponent } from '@affkit/protocol/currency-exponent';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CreatedProgram, ItemReply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import {
  checkTerms,
  DEFAULT_TERMS,
  exampleCents,
  type ProgramDraft,
  programBody,
  type TermsDraft,
} from './program-draft.ts';
import { StepForm } from './step-form.tsx';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const EXAMPLE_SALE = 100;

/** What partners earn. At its end, the program is created. */
export function CommissionStep({
  program,
  onCreated,
}: {
  program: ProgramDraft;
  onCreated: (created: CreatedProgram) => void;
}): JSX.Element {
  const { mutateAsync, isPending, error } = useChange<ItemReply<CreatedProgram>>(PROGRAMS);
  const [draft, setDraft] = useState(DEFAULT_TERMS);
  const [isChecked, setChecked] = useState(false);
  const set = (change: Partial<TermsDraft>) => setDraft({ ...draft, ...change });
  const { currency } = program;
  const found = checkTerms(draft, currency);
  const errors = isChecked ? found : {};
  const create = async () => {
    setChecked(true);
    if (Object.keys(found).length > 0) return;
    const body = programBody(program, draft);
    const created = await mutateAsync({ method: 'POST', path: PROGRAMS, body }).catch(() => null);
    if (created) onCreated(created.data);
  };
  return (
    <StepForm
      title="What do partners earn?"
      intro="You can change this later, also for single products and partners."
      submit="Create the program"
      busy={isPending}
      error={error}
      onSubmit={() => void create()}
    >
      <div class="grid">
        <SelectField
          label="Commission"
          value={draft.type}
          choices={[
            { value: 'percent', text: 'Percentage of the sale' },
            { value: 'flat', text: 'Flat amount per sale' },
          ]}
          onChange={(type) => set({ type })}
        />
        {draft.type === 'percent' ? (
          <TextField
            label="Percentage"
            inputMode="decimal"
            value={draft.rate}
            onInput={(rate) => set({ rate })}
            error={errors.rate}
          />
        ) : (
          <TextField
            label={`Amount in ${currency}`}
            inputMode="decimal"
            value={draft.amount}
            onInput={(amount) => set({ amount })}
            error={errors.amount}
          />
        )}
        <TextField
          label="Days after a click"
          hint="How long a click can earn a commission."
          inputMode="numeric"
          value={draft.windowDays}
          onInput={(windowDays) => set({ windowDays })}
          error={errors.windowDays}
        />
        <TextField
          label="Days to hold commissions"
          hint="Time for refunds, before a payout."
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
  return (
    <p class="notice">
      {isValid
        ? `A sale of ${formatMoney(saleCents, currency)} earns the partner ${formatMoney(cents, currency)}, if the customer came in the ${draft.windowDays} days before. It can be paid out ${draft.holdDays === '0' ? 'at once' : `after ${draft.holdDays} days`}.`
        : 'An example appears here when all fields are filled in.'}
    </p>
  );
}
