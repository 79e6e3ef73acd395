import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Partner } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { useToast } from '../../ui/toast.tsx';

type PartnerStatus = Partner['status'];

const DONE: Readonly<Record<PartnerStatus, string>> = {
  approved: 'approved',
  pending: 'pending again',
  rejected: 'rejected',
  banned: 'banned',
};

/** What can be done with a partner. Approving and rejecting can be undone; a ban asks first. */
export function PartnerActions({ partner }: { partner: Partner }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(api);
  const toast = useToast();
  const [isBanning, setBanning] = useState(false);
  const { id, name, status } = partner;
  const setStatus = (next: PartnerStatus) =>
    mutateAsync({ method: 'PUT', path: `${api}/partners/${id}`, body: { status: next } });
  const change = async (next: PartnerStatus) => {
    try {
      await setStatus(next);
      toast(`${name} is ${DONE[next]}.`, { text: 'Undo', run: () => void setStatus(status) });
    } catch (error) {
      toast(error instanceof Error ? error.message : 'The change failed.');
    }
  };
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
          onSubmit={() => setStatus('banned')}
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
