import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Me } from '../../api/types.ts';
import { SelectField, TextField } from '../../ui/controls.tsx';
import { checkProgram, type ProgramDraft } from './program-draft.ts';
import { StepForm } from './step-form.tsx';

const OTHER = 'other';
const CURRENCIES =
  'USD EUR GBP AUD BRL CAD CHF CNY CZK DKK HKD HUF ILS INR JPY KRW MXN NOK NZD PLN SEK SGD THB TRY ZAR'.split(
    ' ',
  );
const names = new Intl.DisplayNames('en', { type: 'currency' });

/** What the program is for. */
export function ProgramStep({
  draft: initial,
  workspaces,
  onNext,
}: {
  draft: ProgramDraft;
  /** Workspaces in which the user may create a program. */
  workspaces: Me['workspaces'];
  onNext: (draft: ProgramDraft) => void;
}): JSX.Element {
  const [draft, setDraft] = useState(initial);
  const [isOther, setOther] = useState(!CURRENCIES.includes(initial.currency));
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
      title="What do you sell?"
      intro="Partners see the name, and their links lead to the site."
      submit="Continue"
      onSubmit={next}
    >
      {workspaces.length > 1 && (
        <SelectField
          label="Workspace"
          value={draft.workspaceId}
          choices={workspaces.map(({ id, name }) => ({ value: String(id), text: name }))}
          onChange={(workspaceId) => set({ workspaceId })}
        />
      )}
      <TextField
        label="Name of the program"
        placeholder="Tea Shop partners"
        maxLength={200}
        value={draft.name}
        onInput={(name) => set({ name })}
        error={errors.name}
      />
      <TextField
        label="Your site"
        placeholder="shop.example.com"
        value={draft.site}
        onInput={(site) => set({ site })}
        error={errors.site}
      />
      <SelectField
        label="Currency"
        hint="Of the program’s figures. Sales in other currencies are recorded in theirs."
        value={isOther ? OTHER : draft.currency}
        choices={[
          ...CURRENCIES.map((code) => ({ value: code, text: `${code} – ${names.of(code)}` })),
          { value: OTHER, text: 'Another currency' },
        ]}
        onChange={(code) => {
          setOther(code === OTHER);
          set({ currency: code === OTHER ? '' : code });
        }}
      />
      {isOther && (
        <TextField
          label="Code of the currency"
          placeholder="KWD"
          maxLength={3}
          value={draft.currency}
          onInput={(code) => set({ currency: code.toUpperCase() })}
          error={errors.currency}
        />
      )}
    </StepForm>
  );
}
