import type { ComponentChildren, JSX } from 'preact';
import type { Program } from '../../api/types.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { OriginsField } from './origins-field.tsx';
import { CHOICES, LABELS, type SettingErrors, type SettingsDraft } from './settings-draft.ts';

export interface SettingGroupsProps {
  readonly program: Program;
  readonly draft: SettingsDraft;
  readonly errors: SettingErrors;
  readonly onChange: (change: Partial<SettingsDraft>) => void;
}

const CURRENCIES = Intl.supportedValuesOf('currency');

/** All settings of a program, in groups, with what each of them means. */
export function SettingGroups({ program, draft, errors, onChange }: SettingGroupsProps): JSX.Element {
  type TextName = 'name' | 'slug' | 'site_url' | 'cookie_window_days' | 'hold_days' | 'min_sale_cents';
  const text = (name: TextName | 'cookie_domain') => ({
    label: LABELS[name],
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => onChange({ [name]: value }),
  });
  const select = <Name extends keyof typeof CHOICES>(name: Name) => ({
    label: LABELS[name],
    value: draft[name] as string,
    error: errors[name],
    choices: Object.entries<string>(CHOICES[name]).map(([value, choice]) => ({ value, text: choice })),
    onChange: (value: string) => onChange({ [name]: value }),
  });
  return (
    <>
      <SettingGroup title="Program" about="What partners see, and where their links lead.">
        <TextField {...text('name')} maxLength={200} />
        <TextField {...text('site_url')} type="url" hint="Partner links open this address." />
        <TextField
          {...text('slug')}
          hint="Part of the program’s public addresses. A change breaks the old ones."
        />
        <SelectField
          label={LABELS.currency}
          hint="Flat commissions and totals use it. Sales in other currencies keep theirs. It cannot change after the first sale."
          error={errors.currency}
          value={draft.currency}
          choices={[...new Set([program.currency, ...CURRENCIES])].map((code) => ({
            value: code,
            text: code,
          }))}
          onChange={(currency) => onChange({ currency })}
        />
      </SettingGroup>
      <SettingGroup
        title="Who earns"
        about="How a sale is traced back to the partner who brought the customer."
      >
        <SelectField
          {...select('attribution_model')}
          hint="When a customer came through several partners: the last one before the sign-up earns, or the first one."
        />
        <TextField
          {...text('cookie_window_days')}
          inputMode="numeric"
          hint="For how many days after a click a sale still earns a commission. 1 to 365 days."
        />
      </SettingGroup>
      <SettingGroup title="Commissions" about="What counts toward a commission, and when it can be paid.">
        <SelectField
          {...select('commission_base')}
          hint="Whether a percentage also applies to tax and shipping. Your server must report both for them to be left out."
        />
        <TextField
          {...text('min_sale_cents')}
          inputMode="decimal"
          hint={`Smaller sales earn nothing. 0 is no minimum. In ${draft.currency}; for sales in other currencies, the same number of their smallest units.`}
        />
        <TextField
          {...text('hold_days')}
          inputMode="numeric"
          hint="For how many days a commission waits for refunds before it can be paid. 0 to 365 days. Changes apply to new commissions."
        />
      </SettingGroup>
      <SettingGroup
        title="Protection"
        about="Browsers can send anything. These settings decide how far you trust them."
      >
        <SelectField
          {...select('claimed_keys')}
          hint="When only the visitor’s browser, and not your server, has said who the customer is."
        />
        <SelectField {...select('browser_leads')} hint="Reject them if your server reports every sign-up." />
        <SelectField
          {...select('require_origin')}
          hint="Browsers name the site that sends a click. Scripts often do not, but they can fake it."
        />
      </SettingGroup>
      <SettingGroup title="Your site" about="Which pages may record clicks and sign-ups.">
        <OriginsField
          label={LABELS.allowed_origins}
          hint="The addresses of your site, such as https://shop.example. * allows every site. Others are rejected."
          error={errors.allowed_origins}
          value={draft.allowed_origins}
          onChange={(allowed_origins) => onChange({ allowed_origins })}
        />
        <TextField
          {...text('cookie_domain')}
          placeholder="shop.example"
          hint="Only if Affkit runs below your own domain, such as track.shop.example: the cookie then lasts longer in Safari. Leave it empty otherwise."
        />
      </SettingGroup>
    </>
  );
}

/** A part of the settings page: what it is about, and its controls beside that. */
export function SettingGroup({
  title,
  about,
  children,
}: {
  title: string;
  about: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <section class="setting-group">
      <div>
        <h2>{title}</h2>
        <p class="quiet">{about}</p>
      </div>
      <div class="stack">{children}</div>
    </section>
  );
}
