import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-batches.ts';
import { apiUrl } from '../../api/client.ts';
import type { ItemReply, NewPayoutBatch, Payout, PayoutChannel, PayoutSettings } from '../../api/types.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { formatDate } from '../../format/time.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, SelectField } from '../../ui/controls.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { BatchProgress } from '../payout-batches/batch-progress.tsx';

interface Choice {
  readonly value: PayoutChannel;
  readonly text: string;
}

const FILES = Object.entries(messages.channels).map(([value, text]): Choice => {
  return { value: value as PayoutChannel, text: messages.fileFor(text) };
});

/**
 * Puts payouts into a batch. Either the user downloads the batch as a file, or a payment service sends the
 * payments at once, after a confirmation. The dialog then shows the progress, and the payouts that the batch
 * cannot contain.
 */
export function MakeBatch({
  payouts: selected,
  onMade,
  onClose,
}: {
  payouts: readonly Payout[];
  onMade: () => void;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<NewPayoutBatch>(api);
  const { data: settings } = useApi<ItemReply<PayoutSettings>>(`${api}/payout-settings`);
  // Keeps the payouts, because the page clears its selection when the batch is made.
  const [payouts] = useState(selected);
  const currencies = [...new Set(payouts.map((payout) => payout.currency))];
  const [channel, setChannel] = useState<PayoutChannel>('file:paypal');
  const [currency, setCurrency] = useState(currencies[0] ?? '');
  const [isAsking, setAsking] = useState(false);
  const [made, setMade] = useState<NewPayoutBatch | null>(null);
  const ofCurrency = payouts.filter((payout) => payout.currency === currency);
  const provider = messages.providerOf(channel);
  const choices = [
    ...FILES,
    ...(settings?.data.providers ?? []).map((name): Choice => {
      const value = `provider:${name}` as const;
      return { value, text: messages.sentBy(messages.providerOf(value) ?? name) };
    }),
  ];
  const save = async () => {
    if (provider !== null && !isAsking) {
      setAsking(true);
      return false;
    }
    const body = { channel, currency, payout_ids: ofCurrency.map(({ id }) => id) };
    setMade(await mutateAsync({ method: 'POST', path: `${api}/payout-batches`, body }));
    onMade();
    return false;
  };
  if (made !== null) return <Made made={made} payouts={payouts} provider={provider} onClose={onClose} />;
  if (isAsking && provider !== null) {
    const sum = formatMoney(
      ofCurrency.reduce((total, { amount_cents }) => total + amount_cents, 0),
      currency,
    );
    return (
      <FormDialog
        key="ask"
        title={messages.sendTitle(sum, ofCurrency.length)}
        submit={messages.send(sum)}
        danger
        onSubmit={save}
        onClose={onClose}
      >
        <p>{messages.sendWarning(provider)}</p>
        <p class="quiet">{messages.sendDetails}</p>
      </FormDialog>
    );
  }
  return (
    <FormDialog
      key="choose"
      title={messages.makeTitle}
      submit={provider === null ? messages.make : messages.next}
      onSubmit={save}
      onClose={onClose}
    >
      <SelectField
        label={messages.channel}
        hint={messages.channelHint}
        value={channel}
        choices={choices}
        onChange={setChannel}
      />
      <SelectField
        label={messages.currency}
        hint={messages.currencyHint}
        value={currency}
        choices={currencies.map((code) => ({ value: code, text: code }))}
        onChange={setCurrency}
      />
      <ul class="entries" aria-label={messages.inThisBatch}>
        {ofCurrency.map(({ id, partner_name, amount_cents, details_changed_at }) => (
          <li key={id}>
            <span>{messages.itemOf(partner_name, formatMoney(amount_cents, currency))}</span>
            <span class="quiet small">
              {details_changed_at === null
                ? messages.noDetails
                : messages.detailsChanged(formatDate(details_changed_at))}
            </span>
          </li>
        ))}
      </ul>
      <p class="quiet">{messages.recentChanges}</p>
      <p class="quiet">{provider === null ? messages.fixedWarning : messages.sendIntro(provider)}</p>
    </FormDialog>
  );
}

function Made({
  made: { data, left_out, left_out_total: leftOutTotal },
  payouts,
  provider,
  onClose,
}: {
  made: NewPayoutBatch;
  payouts: readonly Payout[];
  provider: string | null;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const nameOf = (id: number) =>
    payouts.find((payout) => payout.id === id)?.partner_name ?? messages.payout(id);
  const text =
    data === null
      ? messages.nothingFits
      : provider === null
        ? messages.made(data.payouts)
        : messages.sending(data.payouts, provider);
  return (
    <Dialog title={data === null ? messages.makeTitle : messages.batchNumber(data.id)} onClose={onClose}>
      <div class={data === null ? 'notice warn' : 'notice good'} role="status">
        {text}
      </div>
      {data !== null && provider !== null && <BatchProgress id={data.id} />}
      {leftOutTotal > 0 && (
        <>
          <h3>{messages.leftOut(leftOutTotal)}</h3>
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
        {data !== null && provider === null && (
          <a class="button primary" href={apiUrl(`${api}/payout-batches/${data.id}/file`)} download>
            {messages.download}
          </a>
        )}
      </div>
    </Dialog>
  );
}
