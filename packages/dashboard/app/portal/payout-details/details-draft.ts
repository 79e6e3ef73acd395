import * as messages from '#messages/payout-details.ts';
import type { PayoutDetails } from '../../api/types.ts';

export type Method = PayoutDetails['method'];

const TEXTS = [
  'currency',
  'email',
  'iban',
  'bic',
  'account_holder',
  'stripe_account_id',
  'instructions',
  'tax_name',
  'tax_id',
  'line1',
  'line2',
  'postal_code',
  'city',
  'region',
  'country',
] as const;
const ADDRESS: readonly TextName[] = ['line1', 'line2', 'postal_code', 'city', 'region', 'country'];

type TextName = (typeof TEXTS)[number];
type HolderType = NonNullable<PayoutDetails['account_holder_type']>;

/** The form of payout details. Texts of another method stay in the form, and are not sent. */
export type DetailsDraft = Readonly<Record<TextName, string>> & {
  readonly method: Method;
  /** Sent only if the method is Wise. */
  readonly account_holder_type: HolderType;
  readonly hasAddress: boolean;
};

export type DetailsErrors = Readonly<Partial<Record<TextName, string>>>;

/** The account fields for each method. Wise accepts either an email address or an IBAN. */
const FIELDS: Readonly<
  Record<Method, { readonly required: readonly TextName[]; readonly optional: readonly TextName[] }>
> = {
  paypal: { required: ['email'], optional: [] },
  bank: { required: ['account_holder', 'iban'], optional: ['bic'] },
  wise: { required: ['account_holder'], optional: ['email', 'iban'] },
  stripe: { required: ['stripe_account_id'], optional: [] },
  other: { required: ['instructions'], optional: [] },
};

/** The fields that the form shows for a method, in their order. */
export function accountFields(method: Method): readonly TextName[] {
  return [...FIELDS[method].required, ...FIELDS[method].optional];
}

export function draftOf(details: PayoutDetails | null): DetailsDraft {
  const values = { ...details, ...details?.address };
  const texts = Object.fromEntries(TEXTS.map((name) => [name, textOf(values[name as keyof typeof values])]));
  return {
    // The cast is safe because `TEXTS` names every text of the draft.
    ...(texts as Record<TextName, string>),
    method: details?.method ?? 'bank',
    account_holder_type: details?.account_holder_type ?? 'person',
    hasAddress: details?.address != null,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns what is missing in the form. The API checks the format of each text. */
export function checkDraft(draft: DetailsDraft): DetailsErrors {
  const required: TextName[] = [...FIELDS[draft.method].required];
  if (draft.hasAddress) required.push('line1', 'city', 'country');
  const missing = required.filter((name) => draft[name].trim() === '');
  const errors = Object.fromEntries(missing.map((name) => [name, messages.missing]));
  const isAmbiguous = draft.method === 'wise' && (draft.email.trim() === '') === (draft.iban.trim() === '');
  return isAmbiguous ? { ...errors, email: messages.eitherOr } : errors;
}

/** Returns the body of the request. Empty texts are left out, so the API deletes their stored values. */
export function bodyOf(draft: DetailsDraft, partnerId: number): object {
  const pick = (names: readonly TextName[]) =>
    Object.fromEntries(
      names.map((name) => [name, draft[name].trim()] as const).filter(([, text]) => text !== ''),
    );
  return {
    partner_id: partnerId,
    method: draft.method,
    ...(draft.method === 'wise' && { account_holder_type: draft.account_holder_type }),
    ...pick(['currency', 'tax_name', 'tax_id', ...accountFields(draft.method)]),
    ...(draft.hasAddress && { address: pick(ADDRESS) }),
  };
}

/**
 * Returns the field whose name starts an error message of the API, such as `iban` in `iban must be …`. Returns null
 * if the form does not show this field.
 */
export function fieldOf(error: Error, draft: DetailsDraft): TextName | null {
  const shown = ['currency', 'tax_name', 'tax_id', ...accountFields(draft.method), ...ADDRESS] as const;
  return shown.find((name) => error.message.startsWith(`${name} `)) ?? null;
}
