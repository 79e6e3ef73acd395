import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import type { BulkReply, Payout } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { formatCount } from '../../format/number.ts';
import { useProgram } from '../../session/session.tsx';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Marks payouts as paid, each with the reference of its payment. */
export function MarkPaid({
  payouts,
  onClose,
}: {
  payouts: readonly Payout[];
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<BulkReply>(api);
  const toast = useToast();
  const [references, setReferences] = useState<ReadonlyMap<number, string>>(new Map());
  const [idempotencyKey] = useState(newIdempotencyKey);
  const save = async () => {
    const items = payouts.map(({ id }) => {
      const reference = references.get(id)?.trim() ?? '';
      return { id, ...(reference !== '' && { reference }) };
    });
    const path = `${api}/payouts/mark-paid`;
    const { data, meta } = await mutateAsync({
      method: 'POST',
      path,
      body: { items, idempotency_key: idempotencyKey },
    });
    const failed = data.find((result) => !result.ok);
    toast(
      failed === undefined
        ? `${formatCount(meta.succeeded)} payouts are marked as paid.`
        : `${formatCount(meta.failed)} of ${formatCount(data.length)} payouts were not changed: ${failed.error}`,
    );
  };
  return (
    <FormDialog
      title={payouts.length === 1 ? 'Mark as paid' : `Mark ${formatCount(payouts.length)} payouts as paid`}
      submit="Mark as paid"
      onSubmit={save}
      onClose={onClose}
    >
      <p>
        Do this after the money is sent. The partners are notified, and a paid payout cannot be cancelled.
      </p>
      {payouts.map(({ id, partner_name, amount_cents, currency }) => (
        <TextField
          key={id}
          label={`${partner_name}: ${formatMoney(amount_cents, currency)}`}
          placeholder="Reference of the payment (optional)"
          maxLength={200}
          value={references.get(id) ?? ''}
          onInput={(text) => setReferences(new Map(references).set(id, text))}
        />
      ))}
    </FormDialog>
  );
}
