import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/payout-details.ts';
import { ApiError } from '../../api/client.ts';
import { PAYOUT_DETAILS } from '../../api/portal-requests.ts';
import { useChange } from '../../api/use-api.ts';
import { PORTAL_NOTIFICATIONS } from '../../api/use-portal-notifications.ts';
import { TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';

/** Asks before the payout details are deleted. */
export function DeleteDetails({
  partnerId,
  onDeleted,
  onClose,
}: {
  partnerId: number;
  onDeleted: () => void;
  onClose: () => void;
}): JSX.Element {
  const { mutateAsync } = useChange(PAYOUT_DETAILS, PORTAL_NOTIFICATIONS);
  const toast = useToast();
  /** Null until the API requires the password. */
  const [password, setPassword] = useState<string | null>(null);
  const remove = async () => {
    try {
      const path = `${PAYOUT_DETAILS}?partner_id=${partnerId}`;
      await mutateAsync({ method: 'DELETE', path, ...(password && { body: { password } }) });
    } catch (error) {
      const isAsked = error instanceof ApiError && error.code === 'password_required';
      if (!isAsked || password !== null) throw error;
      setPassword('');
      return false;
    }
    onDeleted();
    toast(messages.removed);
    return true;
  };
  return (
    <FormDialog
      title={messages.removeTitle}
      submit={messages.removeAll}
      danger
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{messages.removeWarning}</p>
      {password !== null && (
        <TextField
          label={messages.password}
          type="password"
          autocomplete="current-password"
          value={password}
          onInput={setPassword}
        />
      )}
    </FormDialog>
  );
}
