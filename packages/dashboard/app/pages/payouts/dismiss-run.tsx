import type { JSX } from 'preact';
import * as messages from '#messages/dismiss-run.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Asks before it dismisses the proposed payouts of a month. */
export function DismissRun({
  id,
  month,
  onClose,
}: {
  id: number;
  /** The month as a text. */
  month: string;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const toast = useToast();
  const { mutateAsync } = useChange(api);
  const dismiss = async () => {
    await mutateAsync({ method: 'POST', path: `${api}/payout-runs/${id}/dismiss` });
    toast(messages.dismissed(month));
  };
  return (
    <FormDialog title={messages.title(month)} submit={messages.dismiss} onSubmit={dismiss} onClose={onClose}>
      <p>{messages.warning}</p>
    </FormDialog>
  );
}
