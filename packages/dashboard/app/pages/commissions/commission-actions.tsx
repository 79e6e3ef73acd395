import { currencyExponent } from '@affkit/protocol/currency-exponent';
import { useQueryClient } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/commissions.ts';
import * as common from '#messages/common.ts';
import { ApiError } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import type { Commission } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { toInput } from '../../format/amount-input.ts';
import { formatMoney } from '../../format/money.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { netCentsOf } from '../../ui/net-sums.ts';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { useToast } from '../../ui/toast.tsx';
import { whyCommission } from '../why/why-path.ts';
import { describeExcess, parseAdjustment } from './adjustment.ts';
import { approvalWarningFor } from './approval-warning.ts';
import { describeNetSums } from './net-amount.tsx';
import { canAdjust, canApprove, canReject } from './review-rules.ts';

/** The example for an adjustment, in major units of the currency. */
const ADJUST_EXAMPLE = 5;

/** The actions on a commission. Approving and rejecting ask for confirmation. A rejection cannot be undone. */
export function CommissionActions({ commission }: { commission: Commission }): JSX.Element {
  const { api, page } = useProgram();
  const { route } = useLocation();
  const { mutateAsync } = useChange(api);
  const toast = useToast();
  const { open } = usePageOverlay();
  const { id, transaction_id } = commission;
  const path = `${api}/commissions/${id}`;
  const approve = async () => {
    await mutateAsync({ method: 'POST', path: `${path}/approve` });
    toast(messages.isApproved(transaction_id));
  };
  const askToApprove = () =>
    open((onClose) => (
      <FormDialog
        title={messages.approveTitle(1, describeNetSums([commission]))}
        submit={common.approve}
        onSubmit={approve}
        onClose={onClose}
      >
        <p>{approvalWarningFor([commission])}</p>
      </FormDialog>
    ));
  const askToReject = () =>
    open((onClose) => (
      <FormDialog
        title={messages.rejectTitle}
        submit={common.reject}
        danger
        onSubmit={() => mutateAsync({ method: 'POST', path: `${path}/reject` })}
        onClose={onClose}
      >
        <p>{messages.rejectWarning(commission.partner_name, transaction_id)}</p>
      </FormDialog>
    ));
  const adjust = () =>
    open((onClose) => <Adjust commission={commission} path={`${path}/adjust`} onClose={onClose} />);
  const actions = [
    { text: common.why, run: () => route(pageUrl(whyCommission(page, id))) },
    ...(canApprove(commission) ? [{ text: messages.approveWithDialog, run: askToApprove }] : []),
    ...(canAdjust(commission) ? [{ text: messages.adjustWithDialog, run: adjust }] : []),
    ...(canReject(commission) ? [{ text: messages.rejectWithDialog, danger: true, run: askToReject }] : []),
  ];
  return <ActionMenu label={common.actionsFor(transaction_id)} actions={actions} />;
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
  const client = useQueryClient();
  const { mutateAsync } = useChange(api);
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const { currency, partner_name, transaction_id } = commission;
  const example = toInput(ADJUST_EXAMPLE * 10 ** currencyExponent(currency), currency);
  const leftCents = netCentsOf(commission);
  const lowerExample = leftCents > 0 ? `-${example}` : null;
  const cents = parseAdjustment(text, currency);
  const tooMuch = cents !== null && describeExcess(commission, cents);
  const size = formatMoney(Math.abs(cents ?? 0), currency);
  const save = async () => {
    setChecked(true);
    if (cents === null || tooMuch || reason.trim() === '') return false;
    const body = { amount_cents: cents, reason: reason.trim(), idempotency_key: idempotencyKey };
    const change = { method: 'POST', path, body, ifLost: messages.adjustLost } as const;
    return mutateAsync(change).catch((error: unknown) => {
      // An earlier attempt used this idempotency key with other values, and its reply was lost.
      if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
      // The data was reloaded then, but the earlier attempt may have ended later. Reload the data again.
      void client.invalidateQueries();
      throw new Error(messages.alreadyAdjusted);
    });
  };
  return (
    <FormDialog title={messages.adjustTitle} submit={messages.adjust} onSubmit={save} onClose={onClose}>
      <p>{messages.adjustSale(partner_name, transaction_id, describeNetSums([commission]))}</p>
      <TextField
        label={common.amountIn(currency)}
        inputMode="decimal"
        placeholder={lowerExample ?? example}
        hint={messages.adjustHint(leftCents > 0 ? formatMoney(leftCents, currency) : null)}
        value={text}
        onInput={setText}
        error={tooMuch || (isChecked && cents === null ? messages.adjustWrong(example, lowerExample) : null)}
      />
      <TextField
        label={messages.reason}
        hint={messages.reasonHint}
        value={reason}
        onInput={setReason}
        error={isChecked && reason.trim() === '' ? messages.reasonMissing : null}
      />
      {cents !== null && !tooMuch && (
        <p>{cents > 0 ? messages.getsMore(partner_name, size) : messages.getsLess(partner_name, size)}</p>
      )}
    </FormDialog>
  );
}
