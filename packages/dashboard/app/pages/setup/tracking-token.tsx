import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemReply, NewToken } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';

const PROGRAMS = '/api/advertiser/affiliate-programs';

/** The token of the program, of which only a new one is ever shown. */
export function TrackingToken(): JSX.Element {
  const { api, program, may } = useProgram();
  const { mutateAsync } = useChange<ItemReply<NewToken>>(PROGRAMS);
  const [isAsking, setAsking] = useState(false);
  const [token, setToken] = useState<string | null>(null);
  const renew = async () => {
    const { data } = await mutateAsync({ method: 'POST', path: `${api}/regenerate-api-token` });
    setToken(data.api_token);
  };
  return (
    <div class="row apart token">
      <div>
        <span class="label">Tracking token</span>
        <span class="sub">
          <code>{program.api_token_masked}</code> · A token is shown only once, when it is created.
        </span>
      </div>
      {may('program:regenerate-token') && <Button onClick={() => setAsking(true)}>New token…</Button>}
      {isAsking && (
        <FormDialog
          title="Create a new tracking token?"
          submit="Create"
          danger
          onSubmit={renew}
          onClose={() => setAsking(false)}
        >
          <p>
            The current token stops working at once. Until your server has the new one, its sign-ups, sales,
            and refunds are rejected.
          </p>
        </FormDialog>
      )}
      {token !== null && (
        <Dialog title="The new tracking token" onClose={() => setToken(null)}>
          <CopyText
            label="AFFKIT_TOKEN"
            text={token}
            hint="Store it on your server now. Only this dialog shows it."
          />
          <div class="dialog-end">
            <Button kind="primary" onClick={() => setToken(null)}>
              Done
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}
