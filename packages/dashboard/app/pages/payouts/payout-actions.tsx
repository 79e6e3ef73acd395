import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { Payout } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { formatMoney } from '../../format/money.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { MarkPaid } from './mark-paid.tsx';

/** What can be done with a payout. */
export function PayoutActions({ payout }: { payout: Payout }): JSX.Element {
  const { api, page } = useProgram();
  const { route } = useLocation();
  const { mutateAsync } = useChange(api);
  const [open, setOpen] = useState<'pay' | 'cancel' | null>(null);
  const { id, status, partner_id, partner_name, amount_cents, currency } = payout;
  const actions = [
    ...(status === 'pending' ? [{ text: 'Mark as paid…', run: () => setOpen('pay') }] : []),
    {
      text: 'Commissions of the partner',
      run: () => route(pageUrl(`${page}/commissions?partner_id=${partner_id}`)),
    },
    ...(status === 'pending' ? [{ text: 'Cancel…', danger: true, run: () => setOpen('cancel') }] : []),
  ];
  return (
    <>
      <ActionMenu label={`Actions for the payout to ${partner_name}`} actions={actions} />
      {open === 'pay' && <MarkPaid payouts={[payout]} onClose={() => setOpen(null)} />}
      {open === 'cancel' && (
        <FormDialog
          title="Cancel this payout?"
          submit="Cancel the payout"
          danger
          onSubmit={() => mutateAsync({ method: 'POST', path: `${api}/payouts/${id}/cancel` })}
          onClose={() => setOpen(null)}
        >
          <p>
            {formatMoney(amount_cents, currency)} goes back to what {partner_name} can be paid. Make sure that
            the money was not sent.
          </p>
        </FormDialog>
      )}
    </>
  );
}
