import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as programPage from '#messages/program-page.ts';
import * as messages from '#messages/settings.tsx';
import * as setup from '#messages/setup.tsx';
import type { Program } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { pageUrl } from '../../mount.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { leaveGuards } from '../../ui/guarded-location.tsx';
import { Link } from '../../ui/link.tsx';
import { useToast } from '../../ui/toast.tsx';
import { NewToken } from '../setup/new-token.tsx';
import { SettingGroup } from './setting-groups.tsx';

const PROGRAMS_PATH = '/api/advertiser/affiliate-programs';

/** Actions on the whole program. Each action asks for confirmation. */
export function ProgramActions({ program }: { program: Program }): JSX.Element {
  const { may, page } = useProgram();
  const [open, setOpen] = useState<'publish' | 'token' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      {may('program:update') && (
        <SettingGroup title={programPage.title} about={programPage.settingsAbout}>
          <p>{programPage.settingsText}</p>
          <div>
            <Link to={`${page}/page`} button="normal">
              {programPage.edit}
            </Link>
          </div>
        </SettingGroup>
      )}
      {program.status === 'draft' && may('program:go_live') && (
        <SettingGroup title={messages.goLive} about={messages.goLiveAbout}>
          <p>{messages.goLiveText}</p>
          <div>
            <Button onClick={() => setOpen('publish')}>{messages.goLive}</Button>
          </div>
        </SettingGroup>
      )}
      {may('program:regenerate-token') && (
        <SettingGroup title={setup.token} about={messages.tokenAbout}>
          <p>
            <code>{program.api_token_masked}</code>
          </p>
          <div>
            <Button onClick={() => setOpen('token')}>{setup.newToken}</Button>
          </div>
        </SettingGroup>
      )}
      {may('program:delete') && (
        <SettingGroup title={messages.deleteProgram} about={messages.deleteAbout}>
          <p>{messages.deleteText}</p>
          <div>
            <Button kind="danger" onClick={() => setOpen('delete')}>
              {messages.deleteProgram}
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
  const { mutateAsync } = useChange(PROGRAMS_PATH);
  const toast = useToast();
  const publish = async () => {
    await mutateAsync({ method: 'POST', path: `${api}/go-live` });
    toast(messages.isLive(program.name));
  };
  return (
    <FormDialog
      title={messages.goLiveTitle(program.name)}
      submit={messages.goLive}
      onSubmit={publish}
      onClose={onClose}
    >
      <p>{messages.goLiveWarning}</p>
    </FormDialog>
  );
}

function DeleteProgram({ program, onClose }: ActionProps): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange(PROGRAMS_PATH);
  const { route } = useLocation();
  const toast = useToast();
  const [name, setName] = useState('');
  const [isChecked, setChecked] = useState(false);
  const isSame = name.trim() === program.name.trim();
  const remove = async () => {
    setChecked(true);
    if (!isSame) return false;
    await mutateAsync({ method: 'DELETE', path: api });
    toast(messages.isDeleted(program.name));
    // Unsaved changes belong to the deleted program, so do not ask about them.
    leaveGuards.clear();
    route(pageUrl('/'), true);
    return true;
  };
  return (
    <FormDialog
      title={messages.deleteTitle(program.name)}
      submit={messages.deleteProgram}
      danger
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{messages.deleteWarning}</p>
      <TextField
        label={messages.programName}
        hint={messages.typeName(<strong>{program.name}</strong>)}
        value={name}
        onInput={setName}
        autocomplete="off"
        error={isChecked && !isSame ? messages.nameDiffers : null}
      />
    </FormDialog>
  );
}
