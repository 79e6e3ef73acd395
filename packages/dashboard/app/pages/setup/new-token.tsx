import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/setup.tsx';
import type { ItemReply, NewToken as Reply } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { CopySecret } from '../../ui/copy-secret.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ResultDialog } from '../../ui/result-dialog.tsx';

/** Replaces the tracking token of the program, and then shows the new token. It cannot be shown again later. */
export function NewToken({ onClose }: { onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<Reply>>('/api/advertiser/affiliate-programs');
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) {
    return (
      <ResultDialog title={messages.tokenTitle} onClose={onClose}>
        <CopySecret label={messages.token} text={token} hint={messages.tokenHint} />
      </ResultDialog>
    );
  }
  const create = async () => {
    const path = `${api}/regenerate-api-token`;
    const ifLost = messages.tokenLost;
    setToken((await mutateAsync({ method: 'POST', path, ifLost })).data.api_token);
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
