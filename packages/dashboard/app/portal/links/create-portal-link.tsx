import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as links from '#messages/links.ts';
import * as messages from '#messages/portal-links.ts';
import { PORTAL_LINKS, PORTAL_PARTNERS } from '../../api/portal-requests.ts';
import type { ItemReply, PortalLink } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ResultDialog } from '../../ui/result-dialog.tsx';
import { useEnrollment } from '../enrollment.ts';
import { landingPathOf } from './landing-path.ts';

const LINK_CODE = /^[A-Za-z0-9_-]{2,64}$/;
const MAX_SUB_ID = 128;

/** Adds a link of the partner, and then shows it. */
export function CreatePortalLink({ onClose }: { onClose: () => void }): JSX.Element {
  const { program } = useEnrollment();
  const { mutateAsync } = useChange<ItemReply<Pick<PortalLink, 'url'>>>(PORTAL_LINKS, PORTAL_PARTNERS);
  const [landing, setLanding] = useState('');
  const [subId, setSubId] = useState('');
  const [code, setCode] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<Pick<PortalLink, 'url'> | null>(null);
  if (created) {
    return (
      <ResultDialog title={messages.ready} onClose={onClose}>
        <CopyText label={messages.yourLink} text={created.url} />
      </ResultDialog>
    );
  }
  const site = new URL(program.site_url).host;
  const path = landingPathOf(landing, program.site_url);
  const landingError = path === null ? messages.landingWrong(site) : null;
  const subIdError = subId.trim().length > MAX_SUB_ID ? messages.subIdWrong : null;
  const isCodeValid = code.trim() === '' || LINK_CODE.test(code.trim());
  const codeError = isCodeValid ? null : links.codeWrong;
  const save = async () => {
    setChecked(true);
    if (landingError !== null || subIdError !== null || codeError !== null) return false;
    const body = {
      program_id: program.program_id,
      ...(path !== undefined && { landing_path: path }),
      ...(subId.trim() !== '' && { sub_id: subId.trim() }),
      ...(code.trim() !== '' && { short_link: code.trim() }),
    };
    setCreated((await mutateAsync({ method: 'POST', path: PORTAL_LINKS, body, ifLost: links.lost })).data);
    return false;
  };
  return (
    <FormDialog title={messages.create} submit={common.create} onSubmit={save} onClose={onClose}>
      <TextField
        label={messages.landing}
        hint={messages.landingHint(site)}
        value={landing}
        onInput={setLanding}
        error={isChecked ? landingError : null}
        autofocus
      />
      <TextField
        label={messages.subIdField}
        hint={messages.subIdHint}
        value={subId}
        onInput={setSubId}
        error={isChecked ? subIdError : null}
      />
      <TextField
        label={links.code}
        hint={links.codeHint}
        value={code}
        onInput={setCode}
        error={isChecked ? codeError : null}
      />
    </FormDialog>
  );
}
