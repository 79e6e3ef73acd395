import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Partner } from '../../api/types.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { usePartnerStatus } from './use-partner-status.ts';

/** What can be done with a partner. Approving and rejecting can be undone; a ban asks first. */
export function PartnerActions({ partner }: { partner: Partner }): JSX.Element {
  const { set, change } = usePartnerStatus(partner);
  const [isBanning, setBanning] = useState(false);
  const { name, status } = partner;
  const actions = [
    ...(status === 'approved' ? [] : [{ text: 'Approve', run: () => void change('approved') }]),
    ...(status === 'pending' ? [{ text: 'Reject', run: () => void change('rejected') }] : []),
    ...(status === 'banned' ? [] : [{ text: 'Ban…', danger: true, run: () => setBanning(true) }]),
  ];
  return (
    <>
      <ActionMenu label={`Actions for ${name}`} actions={actions} />
      {isBanning && (
        <FormDialog
          title={`Ban ${name}?`}
          submit="Ban"
          danger
          onSubmit={() => set('banned')}
          onClose={() => setBanning(false)}
        >
          <p>
            Their links stop recording clicks, and new sales of their customers earn no commission. What they
            have earned stays in their balance.
          </p>
        </FormDialog>
      )}
    </>
  );
}
