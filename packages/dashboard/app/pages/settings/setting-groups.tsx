import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/settings.tsx';
import type { ItemReply, Program, ProgramSetup } from '../../api/types.ts';
import { useApi } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, SelectField, TextField } from '../../ui/controls.tsx';
import { OriginsField } from './origins-field.tsx';
import { newSiteOf, originsOf, type SettingErrors, type SettingsDraft } from './settings-draft.ts';

export interface SettingGroupsProps {
  readonly program: Program;
  readonly draft: SettingsDraft;
  readonly errors: SettingErrors;
  readonly onChange: (change: Partial<SettingsDraft>) => void;
}

const ALL_CURRENCIES = Intl.supportedValuesOf('currency');

/** All settings of a program, in groups. Each setting has an explanation. */
export function SettingGroups({ program, draft, errors, onChange }: SettingGroupsProps): JSX.Element {
  const { api, may } = useProgram();
  const setup = useApi<ItemReply<ProgramSetup>>(`${api}/integration`);
  const hasSales = setup.data?.data.steps.some(({ step, total }) => step === 'sale' && total > 0) ?? false;
  type TextName = 'name' | 'slug' | 'site_url' | 'cookie_window_days' | 'hold_days' | 'min_sale_cents';
  const text = (name: TextName | 'cookie_domain') => ({
    label: messages.labels[name],
    value: draft[name],
    error: errors[name],
    onInput: (value: string) => onChange({ [name]: value }),
  });
  const select = <Name extends keyof typeof messages.choices>(name: Name) => ({
    label: messages.labels[name],
    value: draft[name] as string,
    error: errors[name],
    choices: Object.entries<string>(messages.choices[name]).map(([value, choice]) => ({
      value,
      text: choice,
    })),
    onChange: (value: string) => onChange({ [name]: value }),
  });
  return (
    <>
      <SettingGroup title={common.program} about={messages.programAbout}>
        <TextField {...text('name')} maxLength={200} />
        <TextField {...text('site_url')} type="url" hint={messages.siteHint} />
        <NewSite program={program} draft={draft} onChange={onChange} />
        <TextField {...text('slug')} hint={messages.slugHint} />
        <SelectField
          label={messages.labels.currency}
          hint={hasSales ? messages.currencyFixed : messages.currencyHint}
          disabled={hasSales}
          error={errors.currency}
          value={draft.currency}
          choices={[...new Set([program.currency, ...ALL_CURRENCIES])].map((code) => ({
            value: code,
            text: code,
          }))}
          onChange={(currency) => onChange({ currency })}
        />
      </SettingGroup>
      <SettingGroup title={messages.attribution} about={messages.attributionAbout}>
        <SelectField {...select('attribution_model')} hint={messages.modelHint} />
        <TextField {...text('cookie_window_days')} inputMode="numeric" hint={messages.windowHint} />
      </SettingGroup>
      <SettingGroup title={common.commissions} about={messages.commissionsAbout}>
        <SelectField {...select('commission_base')} hint={messages.baseHint} />
        <TextField
          {...text('min_sale_cents')}
          inputMode="decimal"
          hint={messages.minSaleHint(draft.currency)}
        />
        <TextField {...text('hold_days')} inputMode="numeric" hint={messages.holdHint} />
      </SettingGroup>
      <SettingGroup title={messages.protection} about={messages.protectionAbout}>
        <SelectField {...select('claimed_keys')} hint={messages.claimedKeysHint} />
        <SelectField {...select('browser_leads')} hint={messages.browserLeadsHint} />
        <SelectField {...select('require_origin')} hint={messages.requireOriginHint} />
      </SettingGroup>
      <SettingGroup title={messages.site} about={messages.siteAbout}>
        <OriginsField
          label={messages.labels.allowed_origins}
          hint={messages.originsHint}
          error={errors.allowed_origins}
          value={draft.allowed_origins}
          isReadOnly={!may('program:update')}
          onChange={(allowed_origins) => onChange({ allowed_origins })}
        />
        <TextField
          {...text('cookie_domain')}
          placeholder={messages.cookieDomainExample}
          hint={messages.cookieDomainHint}
        />
      </SettingGroup>
    </>
  );
}

/** Offers to allow the origin of a new site. Otherwise, clicks and sign-ups from this site would be rejected. */
function NewSite({
  program,
  draft,
  onChange,
}: Pick<SettingGroupsProps, 'program' | 'draft' | 'onChange'>): JSX.Element | null {
  const ref = useRef<HTMLDivElement>(null);
  const site = newSiteOf(draft, program);
  if (site === null) return null;
  const { origin, isAllowed } = site;
  const allow = () => {
    onChange({ allowed_origins: [...originsOf(draft), origin].join('\n') });
    // The button disappears, so move the focus from the button to the message.
    ref.current?.focus();
  };
  return (
    <div ref={ref} tabIndex={-1} class={isAllowed ? 'notice good' : 'notice warn'} role="status">
      <span>{isAllowed ? messages.siteAllowed(origin) : messages.siteNotAllowed(origin)}</span>
      {!isAllowed && <Button onClick={allow}>{messages.alsoAllow(origin)}</Button>}
    </div>
  );
}

/** A group of settings. Its description is shown next to its controls. */
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
