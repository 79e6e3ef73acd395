import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ItemReply, Program } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { useToast } from '../../ui/toast.tsx';
import { SettingGroup } from './setting-groups.tsx';

const PROGRAMS = '/api/advertiser/affiliate-programs';

/** What is done to the program as a whole. Each of it asks first. */
export function ProgramActions({ program }: { program: Program }): JSX.Element {
  const { may } = useProgram();
  const [open, setOpen] = useState<'publish' | 'token' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {program.status === 'draft' && may('program:go_live') && (
        <SettingGroup title="Go live" about="Tracking and commissions work in a draft too.">
          <p>A live program is listed on the marketplace, where partners can find it.</p>
          <div>
            <Button onClick={() => setOpen('publish')}>Go live…</Button>
          </div>
        </SettingGroup>
      )}
      {may('program:regenerate-token') && (
        <SettingGroup
          title="Tracking token"
          about="Your server reports sign-ups, sales, and refunds with it."
        >
          <p>
            <code>{program.api_token_masked}</code>
          </p>
          <div>
            <Button onClick={() => setOpen('token')}>Create a new token…</Button>
          </div>
        </SettingGroup>
      )}
      {may('program:delete') && (
        <SettingGroup title="Delete the program" about="This cannot be undone.">
          <p>
            It is possible once no partner is owed money, no payout is pending, and no refund or dispute is
            waiting for its sale.
          </p>
          <div>
            <Button kind="danger" onClick={() => setOpen('delete')}>
              Delete the program…
            </Button>
          </div>
        </SettingGroup>
      )}
      {open === 'publish' && <Publish program={program} onClose={close} />}
      {open === 'token' && <NewToken onClose={close} />}
      {open === 'delete' && <DeleteProgram program={program} onClose={close} />}
    </>
  );
}

interface ActionProps {
  readonly program: Program;
  readonly onClose: () => void;
}

function Publish({ program, onClose }: ActionProps): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(PROGRAMS);
  const toast = useToast();
  const publish = async () => {
    await mutateAsync({ method: 'POST', path: `${api}/go-live` });
    toast(`${program.name} is live.`);
  };
  return (
    <FormDialog title={`Go live with ${program.name}?`} submit="Go live" onSubmit={publish} onClose={onClose}>
      <p>
        The marketplace lists its name, site, and default commission. A live program cannot become a draft
        again.
      </p>
    </FormDialog>
  );
}

function NewToken({ onClose }: { onClose: () => void }): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<{ readonly api_token: string }>>(PROGRAMS);
  const [token, setToken] = useState<string | null>(null);
  if (token !== null) {
    return (
      <Dialog title="The new tracking token" onClose={onClose}>
        <CopyText
          label="Tracking token"
          hint="Only this dialog shows it. Store it where your server reads its secrets."
          text={token}
        />
        <div class="dialog-end">
          <Button kind="primary" onClick={onClose}>
            Done
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
      title="Create a new tracking token?"
      submit="Create the token"
      danger
      onSubmit={create}
      onClose={onClose}
    >
      <p>
        The current token stops working at once. Until your server has the new one, the sales that it reports
        are rejected.
      </p>
    </FormDialog>
  );
}

function DeleteProgram({ program, onClose }: ActionProps): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(PROGRAMS);
  const { route } = useLocation();
  const toast = useToast();
  const [name, setName] = useState('');
  const [isChecked, setChecked] = useState(false);
  const isSame = name.trim() === program.name.trim();
  const remove = async () => {
    setChecked(true);
    if (!isSame) return false;
    await mutateAsync({ method: 'DELETE', path: api });
    toast(`${program.name} is deleted.`);
    route(pageUrl('/'), true);
    return true;
  };
  return (
    <FormDialog
      title={`Delete ${program.name}?`}
      submit="Delete the program"
      danger
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        Its links stop working, and clicks, sign-ups, and sales are rejected. Partners keep access to what
        they have earned and were paid.
      </p>
      <TextField
        label="Name of the program"
        hint={
          <>
            Type <strong>{program.name}</strong>
          </>
        }
        value={name}
        onInput={setName}
        autocomplete="off"
        error={isChecked && !isSame ? 'This is not the name of the program.' : null}
      />
    </FormDialog>
  );
}
