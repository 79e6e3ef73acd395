import type { JSX } from 'preact';
import * as messages from '#messages/payout-details.ts';
import { CheckField, SelectField, TextField } from '../../ui/controls.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { accountFields, type DetailsDraft, type DetailsErrors, type Method } from './details-draft.ts';

interface FieldsProps {
  readonly draft: DetailsDraft;
  readonly errors: DetailsErrors;
  readonly onChange: (change: Partial<DetailsDraft>) => void;
}

const METHODS = Object.entries(messages.methods).map(([value, text]) => ({
  // The cast is safe because the keys of the messages are the methods of the API.
  value: value as Method,
  text,
}));

const HOLDER_TYPES = [
  { value: 'person', text: messages.holderTypes.person },
  { value: 'company', text: messages.holderTypes.company },
] as const;

/** The label, hint and HTML attributes of each account field. */
const ACCOUNT_FIELDS = {
  account_holder: { label: messages.accountHolder, autocomplete: 'name', maxLength: 70 },
  email: { label: messages.email, type: 'email', autocomplete: 'email', maxLength: 320 },
  iban: { label: messages.iban, maxLength: 64 },
  bic: { label: messages.bic, hint: messages.bicHint, maxLength: 16 },
  stripe_account_id: { label: messages.stripeAccount, placeholder: messages.stripeExample, maxLength: 69 },
} as const;

/** The method and its fields. */
export function AccountFields({ draft, errors, onChange }: FieldsProps): JSX.Element {
  const fields = accountFields(draft.method);
  return (
    <>
      <SelectField
        label={messages.method}
        value={draft.method}
        choices={METHODS}
        onChange={(method) => onChange({ method })}
      />
      {Object.entries(ACCOUNT_FIELDS).map(([key, field]) => {
        const name = key as keyof typeof ACCOUNT_FIELDS;
        if (!fields.includes(name)) return null;
        const hint = draft.method === 'wise' && name === 'email' ? messages.emailOrIban : undefined;
        return (
          <TextField
            key={name}
            {...(hint !== undefined && { hint })}
            {...field}
            value={draft[name]}
            onInput={(value) => onChange({ [name]: value })}
            error={errors[name] ?? null}
          />
        );
      })}
      {draft.method === 'wise' && (
        <SelectField
          label={messages.holderType}
          value={draft.account_holder_type}
          choices={HOLDER_TYPES}
          onChange={(account_holder_type) => onChange({ account_holder_type })}
        />
      )}
      {fields.includes('instructions') && (
        <TextArea
          label={messages.instructions}
          value={draft.instructions}
          onInput={(instructions) => onChange({ instructions })}
          error={errors.instructions ?? null}
        />
      )}
      <TextField
        label={messages.currency}
        hint={messages.currencyHint}
        maxLength={3}
        value={draft.currency}
        onInput={(currency) => onChange({ currency: currency.toUpperCase() })}
        error={errors.currency ?? null}
      />
    </>
  );
}

const ADDRESS_FIELDS = {
  line1: { label: messages.line1, autocomplete: 'address-line1', maxLength: 140 },
  line2: { label: messages.line2, autocomplete: 'address-line2', maxLength: 140 },
  postal_code: { label: messages.postalCode, autocomplete: 'postal-code', maxLength: 16 },
  city: { label: messages.city, autocomplete: 'address-level2', maxLength: 140 },
  region: { label: messages.region, autocomplete: 'address-level1', maxLength: 140 },
  country: { label: messages.country, autocomplete: 'country', hint: messages.countryHint, maxLength: 2 },
} as const;

/** The fields that receipts show about the payee. */
export function TaxFields({ draft, errors, onChange }: FieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={messages.taxName}
        hint={messages.taxHint}
        autocomplete="organization"
        maxLength={255}
        value={draft.tax_name}
        onInput={(tax_name) => onChange({ tax_name })}
        error={errors.tax_name ?? null}
      />
      <TextField
        label={messages.taxId}
        maxLength={64}
        value={draft.tax_id}
        onInput={(tax_id) => onChange({ tax_id })}
        error={errors.tax_id ?? null}
      />
      <CheckField
        label={messages.hasAddress}
        checked={draft.hasAddress}
        onChange={(hasAddress) => onChange({ hasAddress })}
      />
      {draft.hasAddress &&
        Object.entries(ADDRESS_FIELDS).map(([key, field]) => {
          const name = key as keyof typeof ADDRESS_FIELDS;
          return (
            <TextField
              key={name}
              {...field}
              value={draft[name]}
              onInput={(value) => onChange({ [name]: name === 'country' ? value.toUpperCase() : value })}
              error={errors[name] ?? null}
            />
          );
        })}
    </>
  );
}
