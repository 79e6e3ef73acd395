import { useMutation, useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/payout-batches.ts';
import { sendCsv } from '../../api/send-csv.ts';
import type { PayoutBatch, PayoutReport, PayoutReportFormat } from '../../api/types.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, SelectField } from '../../ui/controls.tsx';
import { CsvInput } from '../../ui/csv-input.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Badge, ErrorNotice } from '../../ui/state.tsx';

const FORMATS = Object.entries(messages.formats).map(([value, text]) => ({
  value: value as PayoutReportFormat,
  text,
}));

/** Imports the report of a payment service. First each row is checked, then the results are recorded. */
export function ImportReport({
  batch: { id, channel },
  onClose,
}: {
  batch: PayoutBatch;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const client = useQueryClient();
  const [csv, setCsv] = useState('');
  const [format, setFormat] = useState<PayoutReportFormat>(
    channel === 'file:paypal' ? 'paypal' : channel === 'file:wise' ? 'wise' : 'csv',
  );
  const { mutate, data, error, isPending, reset } = useMutation<PayoutReport, Error, '0' | '1'>({
    mutationFn: (dryRun) =>
      sendCsv<PayoutReport>(`${api}/payout-batches/${id}/import`, { format, dry_run: dryRun }, csv),
    onSuccess: (reply) => {
      if (!reply.meta.dry_run) void client.invalidateQueries();
    },
  });
  const change = (text: string) => {
    setCsv(text);
    reset();
  };
  const isBooked = data?.meta.dry_run === false;
  const ready = data ? data.meta.paid + data.meta.failed : 0;
  return (
    <Dialog title={messages.importFor(id)} wide busy={isPending} onClose={onClose}>
      {!isBooked && (
        <>
          <SelectField
            label={messages.format}
            value={format}
            choices={FORMATS}
            onChange={(next) => {
              setFormat(next);
              reset();
            }}
          />
          <CsvInput
            csv={csv}
            onChange={change}
            chooseFile={messages.chooseFile}
            label={messages.paste}
            placeholder={messages.pasteExample}
            hint={messages.pasteHint}
            rows={5}
          />
        </>
      )}
      {error && <ErrorNotice error={error} />}
      {data && (
        <>
          <div class={data.meta.rejected > 0 ? 'notice warn' : 'notice good'} role="status">
            {isBooked ? messages.booked(data.meta) : messages.checked(data.meta)}
          </div>
          <Rows rows={data.data} />
        </>
      )}
      <div class="dialog-end">
        <Button disabled={isPending} onClick={onClose}>
          {isBooked ? common.close : common.cancel}
        </Button>
        {!isBooked && (
          <Button
            {...(!data && { kind: 'primary' as const })}
            busy={isPending && !data}
            disabled={csv.trim() === ''}
            onClick={() => mutate('1')}
          >
            {messages.check}
          </Button>
        )}
        {data && !isBooked && (
          <Button kind="primary" busy={isPending} disabled={ready === 0} onClick={() => mutate('0')}>
            {messages.importRows(ready)}
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** The result of each row. Rows with errors come first. */
function Rows({ rows }: { rows: PayoutReport['data'] }): JSX.Element {
  const sorted = [...rows].sort((a, b) => Number(a.ok) - Number(b.ok) || a.line - b.line);
  return (
    <ul class="entries" aria-label={messages.rows}>
      {sorted.map((row) => (
        <li key={row.line}>
          <div class="row apart">
            <span>{row.ok ? messages.payout(row.payout_id) : messages.line(row.line)}</span>
            <RowBadge row={row} />
          </div>
          {!row.ok && <span class="quiet small">{row.error}</span>}
        </li>
      ))}
    </ul>
  );
}

function RowBadge({ row }: { row: PayoutReport['data'][number] }): JSX.Element {
  if (!row.ok) return <Badge tone="bad">{messages.rowError}</Badge>;
  if (row.status === 'sent') return <Badge>{messages.rowOpen}</Badge>;
  if (!row.is_changed) return <Badge>{messages.rowUnchanged}</Badge>;
  return row.status === 'paid' ? (
    <Badge tone="good">{messages.rowPaid}</Badge>
  ) : (
    <Badge tone="warn">{messages.rowFailed}</Badge>
  );
}
