import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { locale } from '#messages/locale.ts';
import * as messages from '#messages/welcome.tsx';
import type { Me } from '../../api/types.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { checkProgram, type ProgramDraft } from './program-draft.ts';
import { StepForm } from './step-form.tsx';

const OTHER_CURRENCY = 'other';
const COMMON_CURRENCIES =
  'USD EUR GBP AUD BRL CAD CHF CNY CZK DKK HKD HUF ILS INR JPY KRW MXN NOK NZD PLN SEK SGD THB TRY ZAR'.split(
    ' ',
  );
const currencyNames = new Intl.DisplayNames(locale, { type: 'currency' });

/** The step for the name, site and currency of the new program. */
export function ProgramStep({
  draft: initial,
  workspaces,
  onNext,
}: {
  draft: ProgramDraft;
  /** The workspaces in which the user may create a program. */
  workspaces: Me['workspaces'];
  onNext: (draft: ProgramDraft) => void;
}): JSX.Element {
  const [draft, setDraft] = useState(initial);
  const [isOther, setOther] = useState(!COMMON_CURRENCIES.includes(initial.currency));
  const [isChecked, setChecked] = useState(false);
  const set = (change: Partial<ProgramDraft>) => setDraft({ ...draft, ...change });
  const found = checkProgram(draft);
  const errors = isChecked ? found : {};
  const next = () => {
    setChecked(true);
    if (Object.keys(found).length === 0) onNext(draft);
  };
  return (
    <StepForm
      title={messages.programTitle}
      intro={messages.programIntro}
      submit={messages.next}
      onSubmit={next}
    >
      {workspaces.length > 1 && (
        <SelectField
          label={common.workspace}
          value={draft.workspaceId}
          choices={workspaces.map(({ id, name }) => ({ value: String(id), text: name }))}
          onChange={(workspaceId) => set({ workspaceId })}
        />
      )}
      <TextField
        label={messages.programName}
        placeholder={messages.programNameExample}
        maxLength={200}
        value={draft.name}
        onInput={(name) => set({ name })}
        error={errors.name}
      />
      <TextField
        label={messages.site}
        placeholder={messages.siteExample}
        value={draft.site}
        onInput={(site) => set({ site })}
        error={errors.site}
      />
      <SelectField
        label={messages.currency}
        hint={messages.currencyHint}
        value={isOther ? OTHER_CURRENCY : draft.currency}
        choices={[
          ...COMMON_CURRENCIES.map((code) => ({
            value: code,
            text: messages.currencyChoice(code, currencyNames.of(code)),
          })),
          { value: OTHER_CURRENCY, text: messages.otherCurrency },
        ]}
        onChange={(code) => {
          setOther(code === OTHER_CURRENCY);
          set({ currency: code === OTHER_CURRENCY ? '' : code });
        }}
      />
      {isOther && (
        <TextField
          label={messages.currencyCode}
          placeholder={messages.currencyCodeExample}
          maxLength={3}
          value={draft.currency}
          onInput={(code) => set({ currency: code.toUpperCase() })}
          error={errors.currency}
        />
      )}
    </StepForm>
  );
}
