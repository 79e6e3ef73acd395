import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/mark-paid.ts';
import type { BulkReply, BulkResult, Payout } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useRequestKey } from '../../api/use-request-key.ts';
import { formatMoney } from '../../format/money.ts';
import { useProgram } from '../../session/session.tsx';
import { BulkResults } from '../../ui/bulk-results.tsx';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Marks payouts as paid. Each payout can have a payment reference. */
export function MarkPaid({
  payouts: chosen,
  onDone,
  onClose,
}: {
  payouts: readonly Payout[];
  /** Called when the payouts were changed. It is not called when the user cancels. */
  onDone?: () => void;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<BulkReply>(api);
  const toast = useToast();
  // Keeps the payouts, because the list behind the dialog changes when they are paid.
  const [payouts] = useState(chosen);
  const [results, setResults] = useState<readonly BulkResult[] | null>(null);
  const [references, setReferences] = useState<ReadonlyMap<number, string>>(new Map());
  const { keyFor } = useRequestKey();
  const save = async () => {
    const items = payouts.map(({ id, amount_cents }) => {
      const reference = references.get(id)?.trim() ?? '';
      return { id, expected_amount_cents: amount_cents, ...(reference !== '' && { reference }) };
    });
    const path = `${api}/payouts/mark-paid`;
    const { data, meta } = await mutateAsync({
      method: 'POST',
      path,
      body: { items, idempotency_key: keyFor(JSON.stringify(items)) },
    });
    onDone?.();
    if (meta.failed > 0) setResults(data);
    else toast(messages.markedPaid(meta.succeeded));
    return meta.failed === 0;
  };
  if (results) {
    const nameOf = (id: number) => {
      const payout = payouts.find((row) => row.id === id);
      return payout ? labelOf(payout) : String(id);
    };
    return <BulkResults results={results} nameOf={nameOf} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={messages.markPaidTitle(payouts.length)}
      submit={messages.markPaid}
      onSubmit={save}
      onClose={onClose}
    >
      <p>{messages.markPaidWarning}</p>
      {payouts.map((payout, index) => (
        <TextField
          key={payout.id}
          label={labelOf(payout)}
          placeholder={messages.referenceOptional}
          maxLength={200}
          autofocus={index === 0}
          value={references.get(payout.id) ?? ''}
          onInput={(text) => setReferences(new Map(references).set(payout.id, text))}
        />
      ))}
    </FormDialog>
  );
}

/** Returns the partner and the amount, because a partner may have payouts in several currencies. */
const labelOf = ({ partner_name, amount_cents, currency }: Payout): string =>
  messages.payoutTo(partner_name, formatMoney(amount_cents, currency));
