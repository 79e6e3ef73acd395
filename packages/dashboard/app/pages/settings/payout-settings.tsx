import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/payout-settings.ts';
import type { ItemReply, PayoutSettings } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, SelectField, TextField } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { withoutSent } from '../../ui/unsaved.ts';
import { useLeaveGuard } from '../../ui/use-leave-guard.tsx';
import { type PayoutSettingsDraft, payoutDraftOf, payoutSettingsChange } from './payout-settings-draft.ts';
import { SettingGroup } from './setting-groups.tsx';

const DAYS = Array.from({ length: 31 }, (_, index) => index + 1);

/** The settings of payouts. They are saved separately from the other settings. */
export function PayoutSettingsGroup(): JSX.Element | null {
  const { api, may } = useProgram();
  const isAllowed = may('payout:create');
  const { data, error, refetch } = useApi<ItemReply<PayoutSettings>>(
    `${api}/payout-settings`,
    {},
    { enabled: isAllowed },
  );
  if (!isAllowed) return null;
  if (data) return <SettingsForm key={api} stored={data.data} />;
  return error ? <ErrorNotice error={error} onRetry={() => void refetch()} /> : null;
}

function SettingsForm({ stored }: { stored: PayoutSettings }): JSX.Element {
  const { api, program } = useProgram();
  const toast = useToast();
  const { mutateAsync, isPending } = useChange(`${api}/payout-settings`);
  const [changes, setChanges] = useState<Partial<PayoutSettingsDraft>>({});
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const set = (change: Partial<PayoutSettingsDraft>) => setChanges((before) => ({ ...before, ...change }));
  const reset = () => {
    setChanges({});
    setChecked(false);
    setFailure(null);
  };
  const draft = { ...payoutDraftOf(stored, program.currency), ...changes };
  const { minimum, day, name, iban, bic } = draft;
  const { body, errors } = payoutSettingsChange(draft, stored, program.currency);
  const leaving = useLeaveGuard(Object.keys(body).length > 0, reset);
  const save = async () => {
    setChecked(true);
    if (errors.length > 0) return;
    setFailure(null);
    try {
      await mutateAsync({ method: 'PUT', path: `${api}/payout-settings`, body, stays: true });
      setChanges((now) => withoutSent(now, changes));
      setChecked(false);
      toast(messages.saved);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) void save();
        }}
      >
        <SettingGroup title={messages.title} about={messages.about}>
          <TextField
            label={messages.minimum(program.currency)}
            hint={messages.minimumHint}
            inputMode="decimal"
            value={minimum}
            error={errors.includes('minimum') ? messages.minimumInvalid : null}
            onInput={(next) => set({ minimum: next })}
          />
          <SelectField
            label={messages.day}
            hint={messages.dayHint}
            value={day}
            choices={[
              { value: '', text: messages.never },
              ...DAYS.map((number) => ({ value: String(number), text: messages.onDay(number) })),
            ]}
            onChange={(next) => set({ day: next })}
          />
          <TextField
            label={messages.debtorName}
            maxLength={70}
            value={name}
            error={isChecked && errors.includes('name') ? messages.debtorNameMissing : null}
            onInput={(next) => set({ name: next })}
          />
          <TextField
            label={messages.iban}
            hint={messages.ibanHint(stored.debtor?.iban_masked ?? null)}
            maxLength={42}
            value={iban}
            error={isChecked && errors.includes('iban') ? messages.ibanMissing : null}
            onInput={(next) => set({ iban: next })}
          />
          <TextField label={messages.bic} maxLength={11} value={bic} onInput={(next) => set({ bic: next })} />
          {failure && <ErrorNotice error={failure} />}
          <div class="row">
            <Button type="submit" busy={isPending}>
              {messages.save}
            </Button>
          </div>
        </SettingGroup>
      </form>
      {leaving}
    </>
  );
}
