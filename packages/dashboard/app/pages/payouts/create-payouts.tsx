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

/** The maximum number of payouts that the dialog lists. Only partners in the list can be left out. */
const LISTED = 200;

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
    queryFn: () => send<PayoutPreview>('POST', path, { ...body, limit: LISTED }),
    enabled: minimumCents !== null,
    placeholderData: (previous) => previous,
    staleTime: 0,
  });
  const rows = preview.data ? listableRows(preview.data) : [];
  const skippedRows = rows.filter(({ partner_id }) => skipped.has(partner_id));
  const chosen = countPayouts(preview.data) - skippedRows.length;
  const save = async () => {
    if (minimumCents === null || chosen === 0) return false;
    const order = { ...body, ...(skipped.size > 0 && { excluded_partner_ids: [...skipped] }) };
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
      submit={messages.createCount(chosen)}
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
        onInput={(text) => {
          setMinimum(text);
          // With another minimum, skipped partners may not be listed, so the user could not include them again.
          setSkipped(new Set());
        }}
        error={minimumCents === null ? messages.minimumWrong : null}
      />
      {preview.error ? (
        <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />
      ) : preview.data ? (
        <PreviewTable preview={preview.data} skipped={skipped} onSkip={setSkipped} />
      ) : (
        <Skeleton height="160px" />
      )}
    </FormDialog>
  );
}

function countPayouts(preview: PayoutPreview | undefined): number {
  return (preview?.meta.totals ?? []).reduce((sum, { payouts }) => sum + payouts, 0);
}

/** The rows of all partners whose rows are complete. The reply may end between two currencies of a partner. */
function listableRows(preview: PayoutPreview): PayoutPreview['data'] {
  const { data: rows } = preview;
  if (countPayouts(preview) === rows.length) return rows;
  const lastId = rows.at(-1)?.partner_id;
  return rows.filter(({ partner_id }) => partner_id !== lastId);
}

function PreviewTable({
  preview,
  skipped,
  onSkip,
}: {
  preview: PayoutPreview;
  /** The ids of partners who are left out this time. */
  skipped: ReadonlySet<number>;
  onSkip: (skipped: ReadonlySet<number>) => void;
}): JSX.Element {
  const rows = listableRows(preview);
  const totals = new Map(preview.meta.totals.map(({ currency, amount_cents }) => [currency, amount_cents]));
  for (const { partner_id, currency, amount_cents } of rows) {
    if (skipped.has(partner_id)) totals.set(currency, (totals.get(currency) ?? 0) - amount_cents);
  }
  const unlisted = countPayouts(preview) - rows.length;
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
      {unlisted > 0 && <p class="quiet">{messages.unlisted(unlisted)}</p>}
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
