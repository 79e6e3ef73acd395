import type { JSX } from 'preact';
import type { Policy } from '../../api/types.ts';
import { parseMoney, toInput } from '../../format/money.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { CHOOSE_PARTNER, PartnerField, UNKNOWN_PARTNER } from '../../ui/partner-field.tsx';

/** The terms of a policy as the form has them. */
export interface PolicyDraft {
  readonly type: 'percent' | 'flat';
  readonly rate: string;
  readonly amount: string;
  readonly productId: string;
  readonly partnerId: string;
  readonly renewals: 'all' | 'first' | 'months';
  readonly months: string;
}

export function draftOf(policy: Policy | null, currency: string): PolicyDraft {
  const months = policy?.recurring_months ?? null;
  return {
    type: policy?.type ?? 'percent',
    rate: policy?.rate === undefined ? '20' : String(policy.rate),
    amount: toInput(policy?.amount_cents ?? 1000, currency),
    productId: policy?.product_id ?? '',
    partnerId: policy?.partner_id ? String(policy.partner_id) : '',
    renewals: months === null ? 'all' : months === 0 ? 'first' : 'months',
    months: months === null || months === 0 ? '12' : String(months),
  };
}

/** What is wrong with a field, by its name. */
export type DraftErrors = Readonly<Partial<Record<'rate' | 'amount' | 'months' | 'partner', string>>>;

export function checkDraft(draft: PolicyDraft, currency: string): DraftErrors {
  const rate = Number(draft.rate.replace(',', '.'));
  const months = Number(draft.months);
  return {
    ...(draft.type === 'percent' &&
      !(
        draft.rate.trim() !== '' &&
        rate >= 0 &&
        rate <= 100 &&
        Number.isInteger(Math.round(rate * 1e6) / 1e4)
      ) && {
        rate: 'Enter a percentage from 0 to 100, with at most two decimals.',
      }),
    ...(draft.type === 'flat' &&
      parseMoney(draft.amount, currency) === null && {
        amount: `Enter an amount in ${currency}, such as 15.00.`,
      }),
    ...(draft.partnerId === UNKNOWN_PARTNER && { partner: CHOOSE_PARTNER }),
    ...(draft.renewals === 'months' &&
      !(Number.isInteger(months) && months >= 1 && months <= 1200) && {
        months: 'Enter a whole number of months.',
      }),
  };
}

/** The body of a request that creates the policy. */
export function bodyOf(draft: PolicyDraft, currency: string): object {
  const recurringMonths = { all: null, first: 0, months: Number(draft.months) }[draft.renewals];
  return {
    type: draft.type,
    ...(draft.type === 'percent'
      ? { rate: Number(draft.rate.replace(',', '.')) }
      : { amount_cents: parseMoney(draft.amount, currency) }),
    ...(draft.productId.trim() !== '' && { product_id: draft.productId.trim() }),
    ...(draft.partnerId !== '' && { partner_id: Number(draft.partnerId) }),
    recurring_months: recurringMonths,
  };
}

/** The fields of a policy. `scope: false` leaves out product and partner, which never change. */
export function PolicyFields({
  draft,
  onChange,
  errors,
  currency,
  scope,
}: {
  draft: PolicyDraft;
  onChange: (draft: PolicyDraft) => void;
  errors: DraftErrors;
  currency: string;
  scope: boolean;
}): JSX.Element {
  const set = (change: Partial<PolicyDraft>) => onChange({ ...draft, ...change });
  return (
    <div class="grid fields">
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
      {scope && (
        <>
          <TextField
            label="Product"
            hint="Your id of the product. Empty covers all products."
            value={draft.productId}
            onInput={(productId) => set({ productId })}
          />
          <PartnerField
            label="Partner"
            placeholder="All partners"
            value={draft.partnerId}
            onChange={(partnerId) => set({ partnerId })}
            error={errors.partner}
          />
        </>
      )}
      <SelectField
        label="Subscriptions"
        value={draft.renewals}
        choices={[
          { value: 'all', text: 'All renewals earn' },
          { value: 'months', text: 'Renewals earn for some months' },
          { value: 'first', text: 'Only the first payment earns' },
        ]}
        onChange={(renewals) => set({ renewals })}
      />
      {draft.renewals === 'months' && (
        <TextField
          label="Months"
          inputMode="numeric"
          value={draft.months}
          onInput={(months) => set({ months })}
          error={errors.months}
        />
      )}
    </div>
  );
}
