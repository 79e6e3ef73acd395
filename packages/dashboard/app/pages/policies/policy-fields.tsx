import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/policies.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { PartnerField } from '../../ui/partner-field.tsx';
import { CommissionFields } from './commission-fields.tsx';
import type { DraftErrors, PolicyDraft } from './policy-draft.ts';

const RENEWALS = [
  { value: 'all', text: messages.renewals.all },
  { value: 'months', text: messages.renewals.months },
  { value: 'first', text: messages.renewals.first },
] as const;

/**
 * The fields of a policy. With `scope: false`, product and partner are left out, because they cannot be
 * changed.
 */
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
      <CommissionFields draft={draft} onChange={set} errors={errors} currency={currency} />
      {scope && (
        <>
          <TextField
            label={messages.productId}
            placeholder={messages.allProducts}
            value={draft.productId}
            onInput={(productId) => set({ productId })}
          />
          <PartnerField
            label={common.partner}
            placeholder={common.allPartners}
            value={draft.partnerId}
            onChange={(partnerId) => set({ partnerId })}
            error={errors.partner}
          />
        </>
      )}
      <SelectField
        label={messages.subscriptions}
        value={draft.renewals}
        choices={RENEWALS}
        onChange={(renewals) => set({ renewals })}
      />
      {draft.renewals === 'months' && (
        <TextField
          label={messages.months}
          inputMode="numeric"
          value={draft.months}
          onInput={(months) => set({ months })}
          error={errors.months}
        />
      )}
    </div>
  );
}
