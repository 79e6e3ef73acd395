import { useQuery } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payouts.ts';
import { ApiError, send } from '../../api/client.ts';
import type { ConfirmedRun, ItemReply, Payout, PayoutPreview, PayoutRun } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { parseMoney, toInput } from '../../format/amount-input.ts';
import { useProgram } from '../../session/session.tsx';
import { CheckField, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Empty, ErrorNotice, Skeleton } from '../../ui/state.tsx';
import { useToast } from '../../ui/toast.tsx';
import { Money } from '../../ui/values.tsx';

/** The maximum number of payouts that the dialog lists. Only partners in the list can be left out. */
const LISTED = 200;

/** Shows the payouts that would be created now, and creates them with exactly these amounts. */
export function CreatePayouts({
  title,
  run,
  onClose,
}: {
  title: string;
  /** If set, the user confirms this proposal, and cannot choose a minimum or leave out partners. */
  run?: PayoutRun;
  onClose: () => void;
}): JSX.Element {
  const { api, program } = useProgram();
  const create = useChange<ItemReply<readonly Payout[]>>(api);
  const confirm = useChange<ConfirmedRun>(api);
  const toast = useToast();
  const [minimum, setMinimum] = useState('');
  const [skipped, setSkipped] = useState<ReadonlySet<number>>(new Set());
  const example = toInput(2500, program.currency);
  const hasMinimum = minimum.trim() !== '';
  const minimumCents = hasMinimum ? parseMoney(minimum, program.currency) : 0;
  const body = minimumCents !== null && hasMinimum ? { min_amount_cents: minimumCents } : {};
  const path = `${api}/payouts/preview`;
  const preview = useQuery<PayoutPreview, Error>({
    queryKey: [path, body],
    queryFn: () => send<PayoutPreview>('POST', path, { ...body, limit: LISTED }),
    enabled: minimumCents !== null,
    placeholderData: (previous) => previous,
    staleTime: 0,
  });
  // Only listed partners can be left out. If a new preview no longer lists a skipped partner, the partner is paid.
  const leftOut = preview.data ? listableRows(preview.data).filter((row) => skipped.has(row.partner_id)) : [];
  const totals = preview.data ? totalsWithout(preview.data, leftOut) : [];
  const chosen = sumPayouts(totals);
  const isEmpty = preview.data !== undefined && sumPayouts(preview.data.meta.totals) === 0;
  const createPayouts = async (): Promise<readonly Payout[]> => {
    const agreed = { expected_totals: totals };
    if (run) {
      const confirmPath = `${api}/payout-runs/${run.id}/confirm`;
      return (await confirm.mutateAsync({ method: 'POST', path: confirmPath, body: agreed })).payouts;
    }
    // A partner has a row for each currency, so an id can occur more than once.
    const ids = [...new Set(leftOut.map(({ partner_id }) => partner_id))];
    const order = { ...body, ...agreed, ...(ids.length > 0 && { excluded_partner_ids: ids }) };
    return (await create.mutateAsync({ method: 'POST', path: `${api}/payouts`, body: order })).data;
  };
  const save = async () => {
    const created = await createPayouts().catch(async (error: unknown) => {
      if (error instanceof ApiError && error.code === 'conflict') await preview.refetch();
      throw error;
    });
    // The API creates the payouts of a run only once. A repeated confirmation gets no payouts.
    const isRepeated = run !== undefined && created.length === 0;
    toast(isRepeated ? messages.alreadyConfirmed : messages.created(created.length, chosen - created.length));
  };
  return (
    <FormDialog
      title={title}
      submit={messages.createCount(chosen)}
      wide
      canSubmit={chosen > 0 && minimumCents !== null && !preview.isPlaceholderData}
      onSubmit={save}
      onClose={onClose}
    >
      {!run && (
        <TextField
          label={messages.minimum}
          inputMode="decimal"
          hint={messages.minimumHint(example)}
          value={minimum}
          onInput={(text) => {
            setMinimum(text);
            // Only listed partners can be left out, and the list may be different with another minimum. A change of
            // the minimum therefore includes all partners again.
            setSkipped(new Set());
          }}
          error={minimumCents === null ? common.amountWrong(example) : null}
        />
      )}
      {preview.error ? (
        <ErrorNotice error={preview.error} onRetry={() => void preview.refetch()} />
      ) : isEmpty ? (
        <Empty>{run ? messages.nobody : messages.nobodyReachesMinimum}</Empty>
      ) : preview.data ? (
        <PreviewTable
          preview={preview.data}
          totals={totals}
          skipped={skipped}
          onSkip={run ? undefined : setSkipped}
        />
      ) : (
        <Skeleton height="160px" />
      )}
    </FormDialog>
  );
}

type Totals = PayoutPreview['meta']['totals'];

function sumPayouts(totals: Totals): number {
  return totals.reduce((sum, { payouts }) => sum + payouts, 0);
}

/** The totals without the rows that are left out. */
function totalsWithout({ meta }: PayoutPreview, leftOut: PayoutPreview['data']): Totals {
  const totals = meta.totals.map((total) => {
    const rows = leftOut.filter(({ currency }) => currency === total.currency);
    const cents = rows.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
    return { ...total, payouts: total.payouts - rows.length, amount_cents: total.amount_cents - cents };
  });
  return totals.filter(({ payouts }) => payouts > 0);
}

/**
 * Returns the rows of the partners whose rows are all in the preview. A partner has a row for each currency. If the
 * preview is cut off, it may lack rows of its last partner, so the rows of this partner are omitted.
 */
function listableRows(preview: PayoutPreview): PayoutPreview['data'] {
  const { data: rows } = preview;
  if (sumPayouts(preview.meta.totals) === rows.length) return rows;
  const lastId = rows.at(-1)?.partner_id;
  return rows.filter(({ partner_id }) => partner_id !== lastId);
}

function PreviewTable({
  preview,
  totals,
  skipped,
  onSkip,
}: {
  preview: PayoutPreview;
  totals: Totals;
  /** The ids of partners who are left out this time. */
  skipped: ReadonlySet<number>;
  /** If undefined, no partner can be skipped. */
  onSkip: ((skipped: ReadonlySet<number>) => void) | undefined;
}): JSX.Element {
  const rows = listableRows(preview);
  const unlisted = sumPayouts(preview.meta.totals) - rows.length;
  const toggle = (id: number, isChosen: boolean) => {
    const ids = new Set(skipped);
    if (isChosen) ids.delete(id);
    else ids.add(id);
    onSkip?.(ids);
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
                {onSkip ? (
                  <CheckField
                    label={partner_name}
                    hint={partner_email}
                    checked={!skipped.has(partner_id)}
                    onChange={(isChosen) => toggle(partner_id, isChosen)}
                  />
                ) : (
                  <>
                    {partner_name}
                    <span class="sub line">{partner_email}</span>
                  </>
                )}
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
          {totals.map(({ currency, amount_cents }) => (
            <strong key={currency}>
              <Money cents={amount_cents} currency={currency} />
            </strong>
          ))}
        </span>
      </div>
    </div>
  );
}
