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
import { SettingGroup } from './setting-groups.tsx';

const DAYS = Array.from({ length: 31 }, (_, index) => index + 1);

/** The settings of payouts. They are saved separately from the other settings. */
export function PayoutSettingsGroup(): JSX.Element | null {
  const { api, may } = useProgram();
  const isAllowed = may('payout:create');
  const { data, error } = useApi<ItemReply<PayoutSettings>>(
    `${api}/payout-settings`,
    {},
    { enabled: isAllowed },
  );
  if (!isAllowed) return null;
  if (error) return <ErrorNotice error={error} />;
  return data ? <SettingsForm key={api} stored={data.data} /> : null;
}

function SettingsForm({ stored }: { stored: PayoutSettings }): JSX.Element {
  const { api, program } = useProgram();
  const toast = useToast();
  const { mutateAsync, isPending } = useChange(`${api}/payout-settings`);
  const { min_payout_cents, schedule_day, debtor } = stored;
  const [minimum, setMinimum] = useState(
    min_payout_cents === null ? '' : toInput(min_payout_cents, program.currency),
  );
  const [day, setDay] = useState(String(schedule_day ?? ''));
  const [name, setName] = useState(debtor?.name ?? '');
  const [iban, setIban] = useState('');
  const [bic, setBic] = useState(debtor?.bic ?? '');
  const [failure, setFailure] = useState<Error | null>(null);
  const minimumCents = minimum.trim() === '' ? null : (parseMoney(minimum, program.currency) ?? 0);
  const save = async () => {
    if (minimumCents === 0) return;
    setFailure(null);
    const account = { name: name.trim(), iban: iban.trim(), ...(bic.trim() !== '' && { bic: bic.trim() }) };
    const body = {
      min_payout_cents: minimumCents,
      schedule_day: day === '' ? null : Number(day),
      ...(account.iban !== '' && { debtor: account }),
      ...(account.iban === '' && account.name === '' && { debtor: null }),
    };
    try {
      await mutateAsync({ method: 'PUT', path: `${api}/payout-settings`, body });
      setIban('');
      toast(messages.saved);
    } catch (error) {
      setFailure(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
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
          onInput={setMinimum}
        />
        <SelectField
          label={messages.day}
          hint={messages.dayHint}
          value={day}
          choices={[
            { value: '', text: messages.never },
            ...DAYS.map((number) => ({ value: String(number), text: messages.onDay(number) })),
          ]}
          onChange={setDay}
        />
        <TextField label={messages.debtorName} maxLength={70} value={name} onInput={setName} />
        <TextField
          label={messages.iban}
          hint={messages.ibanHint(debtor?.iban_masked ?? null)}
          maxLength={42}
          value={iban}
          onInput={setIban}
        />
        <TextField label={messages.bic} maxLength={11} value={bic} onInput={setBic} />
        {failure && <ErrorNotice error={failure} />}
        <div class="row">
          <Button type="submit" busy={isPending}>
            {messages.save}
          </Button>
        </div>
      </SettingGroup>
    </form>
  );
}
