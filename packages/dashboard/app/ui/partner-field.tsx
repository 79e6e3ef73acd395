import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/ui.tsx';
import type { ItemReply, ListReply, Partner } from '../api/types.ts';
import { useApi } from '../api/use-api.ts';
import { useProgram } from '../session/session.tsx';
import { Field } from './controls.tsx';

/** The value of the field if the text does not match a partner. */
export const UNKNOWN_PARTNER = 'unknown';
export const CHOOSE_PARTNER = messages.choosePartner;

const PAUSE_MS = 200;
const MAX_PARTNER_CHOICES = 20;

/** Includes the email address, because several partners may have the same name. */
function partnerTextOf({ name, email }: Pick<Partner, 'name' | 'email'>): string {
  return `${name} · ${email}`;
}

/** Returns the text to search for. A pasted text may be a whole suggestion, which includes the email address. */
function searchTextOf(text: string): string {
  const [name = ''] = text.split(' · ');
  return name.trim().slice(0, 100);
}

interface PartnerChoice {
  /** The id of the partner, or empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly placeholder: string;
}

/** A search field that suggests matching partners. It works for any number of partners. */
export function PartnerField({
  label,
  hint,
  error,
  ...choice
}: PartnerChoice & { label: string; hint?: string; error?: string | null | undefined }): JSX.Element {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <PartnerInput control={control} {...choice} />}
    </Field>
  );
}

/**
 * A partner field without a visible label, used for filters. A text that matches no partner does not change
 * the filter, and is removed when the user leaves the field.
 */
export function PartnerFilter({ value, onChange }: Pick<PartnerChoice, 'value' | 'onChange'>): JSX.Element {
  return (
    <PartnerInput
      control={{ 'aria-label': common.partner }}
      placeholder={common.allPartners}
      isFilter
      value={value}
      onChange={(next) => {
        if (next !== UNKNOWN_PARTNER) onChange(next);
      }}
    />
  );
}

function PartnerInput({
  control,
  value,
  onChange,
  placeholder,
  isFilter = false,
}: PartnerChoice & { control: object; isFilter?: boolean }): JSX.Element {
  const { api } = useProgram();
  const list = useId();
  // While this is null, the field shows the chosen partner.
  const [typed, setTyped] = useState<string | null>(null);
  const [search, setSearch] = useState('');
  const [hasLeft, setLeft] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (value !== UNKNOWN_PARTNER) setTyped(null);
  }, [value]);
  const found = useApi<ListReply<Partner>>(`${api}/partners`, {
    q: search,
    sort: 'name',
    order: 'asc',
    pageSize: MAX_PARTNER_CHOICES,
  });
  const partners = found.data?.data ?? [];
  const known = partners.find(({ id }) => String(id) === value);
  const chosen = useApi<ItemReply<Partner>>(
    `${api}/partners/${value}`,
    {},
    { enabled: /^\d+$/.test(value) && known === undefined },
  );
  const partner = known ?? chosen.data?.data;
  const choose = (id: string) => {
    clearTimeout(timer.current);
    setTyped(null);
    onChange(id);
  };
  const input = (text: string) => {
    if (text.trim() === '') {
      setSearch('');
      return choose('');
    }
    setTyped(text);
    onChange(UNKNOWN_PARTNER);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSearch(searchTextOf(text)), PAUSE_MS);
  };
  const match = typed === null ? undefined : partners.find((one) => partnerTextOf(one) === typed);
  useEffect(() => {
    if (match) choose(String(match.id));
  }, [match]);
  const isFound =
    typed !== null && searchTextOf(typed) === search && !found.isPlaceholderData && !found.isPending;
  useEffect(() => {
    if (!hasLeft || !isFound) return;
    const [only] = partners;
    if (only && partners.length === 1) choose(String(only.id));
    else if (isFilter) setTyped(null);
  }, [hasLeft, isFound]);
  const leave = () => {
    setLeft(true);
    if (typed !== null) setSearch(searchTextOf(typed));
  };
  return (
    <>
      <input
        {...control}
        class="input partner"
        list={list}
        autocomplete="off"
        placeholder={placeholder}
        title={partner?.email}
        value={typed ?? partner?.name ?? ''}
        onInput={(event) => input(event.currentTarget.value)}
        onFocus={(event) => {
          setLeft(false);
          event.currentTarget.select();
        }}
        onBlur={leave}
      />
      <datalist id={list}>
        {partners.map((one) => (
          <option key={one.id} value={partnerTextOf(one)} />
        ))}
      </datalist>
    </>
  );
}
