import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import type { Commission } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { formatMoney, parseMoney } from '../../format/money.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { useToast } from '../../ui/toast.tsx';

/** What can be done with a commission. A rejection cannot be undone, so it asks first. */
export function CommissionActions({ commission }: { commission: Commission }): JSX.Element {
  const { api, page } = useProgram();
  const { route } = useLocation();
  const { mutateAsync } = useChange(api);
  const toast = useToast();
  const [open, setOpen] = useState<'reject' | 'adjust' | null>(null);
  const { id, status, transaction_id } = commission;
  const path = `${api}/commissions/${id}`;
  const approve = async () => {
    try {
      await mutateAsync({ method: 'POST', path: `${path}/approve` });
      toast(`The commission of ${transaction_id} is approved.`);
    } catch (error) {
      toast(error instanceof Error ? error.message : 'The change failed.');
    }
  };
  const actions = [
    { text: 'Why?', run: () => route(pageUrl(`${page}/why?q=${encodeURIComponent(`#${id}`)}`)) },
    ...(status === 'pending' ? [{ text: 'Approve', run: () => void approve() }] : []),
    ...(status === 'pending' || status === 'approved' || status === 'paid'
      ? [{ text: 'Adjust…', run: () => setOpen('adjust') }]
      : []),
    ...(status === 'pending' || status === 'approved'
      ? [{ text: 'Reject…', danger: true, run: () => setOpen('reject') }]
      : []),
  ];
  const close = () => setOpen(null);
  return (
    <>
      <ActionMenu label={`Actions for ${transaction_id}`} actions={actions} />
      {open === 'reject' && (
        <FormDialog
          title="Reject this commission?"
          submit="Reject"
          danger
          onSubmit={() => mutateAsync({ method: 'POST', path: `${path}/reject` })}
          onClose={close}
        >
          <p>
            {commission.partner_name} earns nothing for the sale {transaction_id}. A rejection cannot be
            undone.
          </p>
        </FormDialog>
      )}
      {open === 'adjust' && <Adjust commission={commission} path={`${path}/adjust`} onClose={close} />}
    </>
  );
}

function Adjust({
  commission,
  path,
  onClose,
}: {
  commission: Commission;
  path: string;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(api);
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const { currency, partner_name } = commission;
  const isNegative = text.trim().startsWith('-');
  const parsed = parseMoney(text.trim().replace(/^[-+]/, ''), currency);
  const cents = parsed === null || parsed === 0 ? null : isNegative ? -parsed : parsed;
  const save = async () => {
    setChecked(true);
    if (cents === null || reason.trim() === '') return false;
    const body = { amount_cents: cents, reason: reason.trim(), idempotency_key: idempotencyKey };
    return mutateAsync({ method: 'POST', path, body });
  };
  return (
    <FormDialog title="Adjust this commission" submit="Adjust" onSubmit={save} onClose={onClose}>
      <TextField
        label={`Amount in ${currency}`}
        inputMode="decimal"
        placeholder="-2.50"
        hint="Positive adds to what the partner earns, negative takes away."
        value={text}
        onInput={setText}
        error={isChecked && cents === null ? 'Enter an amount that is not 0, such as 5.00 or -2.50.' : null}
      />
      <TextField
        label="Reason"
        hint="The partner sees it."
        value={reason}
        onInput={setReason}
        error={isChecked && reason.trim() === '' ? 'Enter a reason.' : null}
      />
      {cents !== null && (
        <p>
          {partner_name} gets {formatMoney(Math.abs(cents), currency)} {cents > 0 ? 'more' : 'less'}. The
          entry stays in the ledger.
        </p>
      )}
    </FormDialog>
  );
}
