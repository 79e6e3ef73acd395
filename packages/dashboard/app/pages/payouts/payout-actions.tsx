import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import * as messages from '#messages/payouts.ts';
import type { Payout } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { loadMarkPaid } from './load-mark-paid.ts';

/** The actions on a payout. */
export function PayoutActions({ payout }: { payout: Payout }): JSX.Element {
  const { api, page, may } = useProgram();
  const { route } = useLocation();
  const { mutateAsync } = useChange(api);
  const { open, load } = usePageOverlay();
  const { id, status, partner_id, partner_name, amount_cents, currency, batch_id } = payout;
  const isOpen = status === 'pending' && may('payout:update');
  const isCancellable = isOpen && batch_id === null;
  const cancel = () =>
    open((onClose) => (
      <FormDialog
        title={messages.cancelTitle}
        submit={messages.cancel}
        danger
        onSubmit={() => mutateAsync({ method: 'POST', path: `${api}/payouts/${id}/cancel` })}
        onClose={onClose}
      >
        <p>{messages.cancelWarning(formatMoney(amount_cents, currency), partner_name)}</p>
      </FormDialog>
    ));
  const actions = [
    ...(isOpen
      ? [{ text: messages.markPaidWithDialog, run: () => load(loadMarkPaid, { payouts: [payout] }) }]
      : []),
    // A cancelled payout contains no commissions.
    ...(status === 'cancelled'
      ? []
      : [
          {
            text: messages.payoutCommissions,
            run: () => route(pageUrl(`${page}/commissions?payout_id=${id}`)),
          },
        ]),
    {
      text: messages.partnerCommissions,
      run: () => route(pageUrl(`${page}/commissions?partner_id=${partner_id}`)),
    },
    {
      text: messages.ledgerEntry,
      run: () => open((onClose) => <LedgerEntry payout={payout} onClose={onClose} />),
    },
    ...(isCancellable ? [{ text: messages.cancelWithDialog, danger: true, run: cancel }] : []),
  ];
  return <ActionMenu label={messages.actionsFor(partner_name)} actions={actions} />;
}

function LedgerEntry({
  payout: { ledger_hash, ledger_position },
  onClose,
}: {
  payout: Payout;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title={messages.ledgerEntry} onClose={onClose}>
      {ledger_hash === null ? (
        <p>{messages.notSealed}</p>
      ) : (
        <CopyText label={messages.hashOf(Number(ledger_position))} text={ledger_hash} />
      )}
    </Dialog>
  );
}
