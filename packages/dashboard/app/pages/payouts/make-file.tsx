import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-batches.ts';
import { apiUrl } from '../../api/client.ts';
import type { NewPayoutBatch, Payout, PayoutChannel } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, SelectField } from '../../ui/controls.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';

const CHANNELS = Object.entries(messages.channels).map(([value, text]) => ({
  value: value as PayoutChannel,
  text,
}));

/** Makes a file of payouts, and offers it for download, with the payouts that do not fit. */
export function MakeFile({
  payouts,
  onClose,
}: {
  payouts: readonly Payout[];
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<NewPayoutBatch>(api);
  const currencies = [...new Set(payouts.map((payout) => payout.currency))];
  const [channel, setChannel] = useState<PayoutChannel>('file:paypal');
  const [currency, setCurrency] = useState(currencies[0] ?? '');
  const [made, setMade] = useState<NewPayoutBatch | null>(null);
  const ofCurrency = payouts.filter((payout) => payout.currency === currency);
  const save = async () => {
    const body = { channel, currency, payout_ids: ofCurrency.map(({ id }) => id) };
    setMade(await mutateAsync({ method: 'POST', path: `${api}/payout-batches`, body }));
    return false;
  };
  if (made !== null) return <Made made={made} payouts={payouts} onClose={onClose} />;
  return (
    <FormDialog title={messages.makeTitle} submit={messages.make} onSubmit={save} onClose={onClose}>
      <SelectField
        label={messages.channel}
        hint={messages.channelHint}
        value={channel}
        choices={CHANNELS}
        onChange={setChannel}
      />
      <SelectField
        label={messages.currency}
        hint={messages.currencyHint}
        value={currency}
        choices={currencies.map((code) => ({ value: code, text: code }))}
        onChange={setCurrency}
      />
      <p class="quiet">{messages.fixedWarning}</p>
    </FormDialog>
  );
}

function Made({
  made: { data, left_out },
  payouts,
  onClose,
}: {
  made: NewPayoutBatch;
  payouts: readonly Payout[];
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const nameOf = (id: number) =>
    payouts.find((payout) => payout.id === id)?.partner_name ?? messages.payout(id);
  return (
    <Dialog title={messages.makeTitle} onClose={onClose}>
      <div class={data === null ? 'notice warn' : 'notice good'} role="status">
        {data === null ? messages.nothingFits : messages.made(data.payouts)}
      </div>
      {left_out.length > 0 && (
        <>
          <h3>{messages.leftOut(left_out.length)}</h3>
          <ul class="entries">
            {left_out.map(({ payout_id, reason }) => (
              <li key={payout_id}>
                <span>{nameOf(payout_id)}</span>
                <span class="quiet small">{messages.reasons[reason] ?? reason}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="dialog-end">
        <Button onClick={onClose}>{common.close}</Button>
        {data !== null && (
          <a class="button primary" href={apiUrl(`${api}/payout-batches/${data.id}/file`)} download>
            {messages.download}
          </a>
        )}
      </div>
    </Dialog>
  );
}
