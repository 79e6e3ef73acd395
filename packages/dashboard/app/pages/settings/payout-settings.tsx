import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/payout-settings.ts';
import type { ItemReply, PayoutSettings } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { parseMoney, toInput } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, SelectField, TextField } from '../../ui/controls.tsx';
import { ErrorNotice } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { useLeaveGuard } from '../../ui/use-leave-guard.tsx';
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

interface Draft {
  readonly minimum: string;
  /** The day of the month, or empty. */
  readonly day: string;
  readonly name: string;
  readonly iban: string;
  readonly bic: string;
}

/** Returns the stored settings as a draft. The stored IBAN is secret, so the field is empty. */
function draftOf({ min_payout_cents, schedule_day, debtor }: PayoutSettings, currency: string): Draft {
  return {
    minimum: min_payout_cents === null ? '' : toInput(min_payout_cents, currency),
    day: String(schedule_day ?? ''),
    name: debtor?.name ?? '',
    iban: '',
    bic: debtor?.bic ?? '',
  };
}

function SettingsForm({ stored }: { stored: PayoutSettings }): JSX.Element {
  const { api, program } = useProgram();
  const toast = useToast();
  const { mutateAsync, isPending } = useChange(`${api}/payout-settings`);
  const [changes, setChanges] = useState<Partial<Draft>>({});
  const [isChecked, setChecked] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const set = (change: Partial<Draft>) => setChanges((before) => ({ ...before, ...change }));
  const reset = () => {
    setChanges({});
    setChecked(false);
    setFailure(null);
  };
  const before = draftOf(stored, program.currency);
  const { minimum, day, name, iban, bic } = { ...before, ...changes };
  const minimumCents = minimum.trim() === '' ? null : (parseMoney(minimum, program.currency) ?? 0);
  // The server stores a BIC in this form.
  const account = { name: name.trim(), iban: iban.trim(), bic: bic.replaceAll(' ', '').toUpperCase() };
  const isRemoved = account.name === '' && account.iban === '' && account.bic === '';
  const hasNewAccount = account.iban !== '' || account.name !== before.name || account.bic !== before.bic;
  const isIncomplete = hasNewAccount && !isRemoved && (account.name === '' || account.iban === '');
  const isDirty = hasNewAccount || minimumCents !== stored.min_payout_cents || day !== before.day;
  const leaving = useLeaveGuard(isDirty, reset);
  const save = async () => {
    setChecked(true);
    if (minimumCents === 0 || isIncomplete) return;
    setFailure(null);
    const { bic: newBic, ...required } = account;
    const newDebtor = isRemoved ? null : { ...required, ...(newBic !== '' && { bic: newBic }) };
    const body = {
      min_payout_cents: minimumCents,
      schedule_day: day === '' ? null : Number(day),
      ...(hasNewAccount && { debtor: newDebtor }),
    };
    try {
      await mutateAsync({ method: 'PUT', path: `${api}/payout-settings`, body });
      reset();
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
            error={minimumCents === 0 ? messages.minimumInvalid : null}
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
            error={isChecked && isIncomplete && account.name === '' ? messages.debtorNameMissing : null}
            onInput={(next) => set({ name: next })}
          />
          <TextField
            label={messages.iban}
            hint={messages.ibanHint(stored.debtor?.iban_masked ?? null)}
            maxLength={42}
            value={iban}
            error={isChecked && isIncomplete && account.iban === '' ? messages.ibanMissing : null}
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
