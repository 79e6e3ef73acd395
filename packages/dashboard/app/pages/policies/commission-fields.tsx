import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/policies.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import type { CommissionDraft, CommissionErrors } from './commission-draft.ts';

const COMMISSION_TYPE_CHOICES = [
  { value: 'percent', text: messages.types.percent },
  { value: 'flat', text: messages.types.flat },
] as const;

/** The fields for the type of a commission and its percentage or amount. */
export function CommissionFields({
  draft: { type, rate, amount },
  onChange,
  errors,
  currency,
}: {
  draft: CommissionDraft;
  onChange: (change: Partial<CommissionDraft>) => void;
  errors: CommissionErrors;
  currency: string;
}): JSX.Element {
  return (
    <>
      <SelectField
        label={common.commission}
        value={type}
        choices={COMMISSION_TYPE_CHOICES}
        onChange={(next) => onChange({ type: next })}
      />
      {type === 'percent' ? (
        <TextField
          label={messages.percentage}
          inputMode="decimal"
          value={rate}
          onInput={(text) => onChange({ rate: text })}
          error={errors.rate}
        />
      ) : (
        <TextField
          label={common.amountIn(currency)}
          inputMode="decimal"
          value={amount}
          onInput={(text) => onChange({ amount: text })}
          error={errors.amount}
        />
      )}
    </>
  );
}
