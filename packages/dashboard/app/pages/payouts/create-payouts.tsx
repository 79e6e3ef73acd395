import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payouts.ts';
import { send } from '../../api/client.ts';
import type { ItemReply, Payout, PayoutPreview } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { parseMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, CheckField, TextField } from '../../ui/controls.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { Money } from '../../ui/values.tsx';

/** Shows the payouts that would be created now, and creates them. */
export function CreatePayouts({ onClose }: { onClose: () => void }): JSX.Element {
  const { api, program } = useProgram();
  const { mutateAsync } = useChange<ItemReply<readonly Payout[]>>(api);
  const toast = useToast();
  const [minimum, setMinimum] = useState('');
  const [skipped, setSkipped] = useState<ReadonlySet<number>>(new Set());
  const minimumCents = minimum.trim() === '' ? 0 : parseMoney(minimum, program.currency);
  const body = minimumCents === null || minimumCents === 0 ? {} : { min_amount_cents: minimumCents };
  const path = `${api}/payouts/preview`;
  const preview = useQuery<PayoutPreview, Error>({
    queryKey: [path, body],
    queryFn: () => send<PayoutPreview>('POST', path, body),
    enabled: minimumCents !== null,
    placeholderData: (previous) => previous,
    staleTime: 0,
  });
  const rows = preview.data?.data ?? [];
  const chosen = rows.filter(({ partner_id }) => !skipped.has(partner_id));
  const save = async () => {
    if (minimumCents === null || chosen.length === 0) return false;
    const ids = new Set(chosen.map(({ partner_id }) => partner_id));
    const order = { ...body, ...(chosen.length < rows.length && { partner_ids: [...ids] }) };
    const { data } = await mutateAsync({ method: 'POST', path: `${api}/payouts`, body: order });
    toast(messages.created(data.length));
    return true;
  };
  if (preview.data && rows.length === 0 && minimum === '') {
    return (
      <Dialog title={messages.pay} onClose={onClose}>
        <Empty action={<Button onClick={onClose}>{common.close}</Button>}>{messages.nobody}</Empty>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={messages.pay}
      submit={messages.createCount(chosen.length)}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        label={messages.minimum}
        inputMode="decimal"
        placeholder="0.00"
        hint={messages.minimumHint}
        value={minimum}
        onInput={setMinimum}
        error={minimumCents === null ? messages.minimumWrong : null}
      />
      {preview.error ? (
        <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />
      ) : preview.data ? (
        <PreviewTable rows={rows} skipped={skipped} onSkip={setSkipped} />
      ) : (
        <Skeleton height="160px" />
      )}
    </FormDialog>
  );
}

function PreviewTable({
  rows,
  skipped,
  onSkip,
}: {
  rows: PayoutPreview['data'];
  /** The ids of partners who are left out this time. */
  skipped: ReadonlySet<number>;
  onSkip: (skipped: ReadonlySet<number>) => void;
}): JSX.Element {
  const totals = new Map<string, number>();
  for (const { partner_id, currency, amount_cents } of rows) {
    const sum = totals.get(currency) ?? 0;
    totals.set(currency, skipped.has(partner_id) ? sum : sum + amount_cents);
  }
  const toggle = (id: number, isChosen: boolean) => {
    const ids = new Set(skipped);
    if (isChosen) ids.delete(id);
    else ids.add(id);
    onSkip(ids);
  };
  return (
    <div class="card flush">
      <table class="table pairs" aria-label={messages.preview}>
        <thead>
          <tr>
            <th scope="col">{common.partner}</th>
            <th scope="col" class="end">
              {common.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ partner_id, partner_name, partner_email, currency, amount_cents }) => (
            <tr key={`${partner_id} ${currency}`}>
              <td class="lead">
                <CheckField
                  label={partner_name}
                  hint={partner_email}
                  checked={!skipped.has(partner_id)}
                  onChange={(isChosen) => toggle(partner_id, isChosen)}
                />
              </td>
              <td class="end" data-label={common.amount}>
                <Money cents={amount_cents} currency={currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <div class="table-end">
        <span>{messages.total}</span>
        <span class="row">
          {[...totals].map(([currency, cents]) => (
            <strong key={currency}>
              <Money cents={cents} currency={currency} />
            </strong>
          ))}
        </span>
      </div>
    </div>
  );
}
