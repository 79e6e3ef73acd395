import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/setup.tsx';
import type { ItemReply, NewToken as Reply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';

/** Replaces the tracking token of the program, and then shows the new one once. */
export function NewToken({ onClose }: { onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<Reply>>('/api/advertiser/affiliate-programs');
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) {
    return (
      <Dialog title={messages.tokenTitle} onClose={onClose}>
        <CopyText label={messages.token} text={token} hint={messages.tokenHint} />
        <div class="dialog-end">
          <Button kind="primary" onClick={onClose}>
            {common.done}
          </Button>
        </div>
      </Dialog>
    );
  }
  const create = async () => {
    const path = `${api}/regenerate-api-token`;
    setToken((await mutateAsync({ method: 'POST', path })).data.api_token);
    return false;
  };
  return (
    <FormDialog
      title={messages.newTokenTitle}
      submit={messages.createToken}
      danger
      onSubmit={create}
      onClose={onClose}
    >
      <p>{messages.newTokenWarning}</p>
    </FormDialog>
  );
}
