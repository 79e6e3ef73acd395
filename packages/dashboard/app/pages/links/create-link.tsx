import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/links.ts';
import type { ItemReply, Link, Partner } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { CHOOSE_PARTNER, PartnerField, UNKNOWN_PARTNER } from '../../ui/partner-field.tsx';
import { ResultDialog } from '../../ui/result-dialog.tsx';

type CreatedLink = Pick<Link, 'url' | 'short_link'>;

const LINK_CODE = /^[A-Za-z0-9_-]{2,64}$/;

/** Creates a link, and then shows it. If `partner` is not set, the user chooses the partner. */
export function CreateLink({
  partner,
  onClose,
}: {
  partner?: Pick<Partner, 'id' | 'name'>;
  onClose: () => void;
}): JSX.Element {
  const { api } = useProgram();
  const { mutateAsync } = useChange<ItemReply<CreatedLink>>(`${api}/links`, `${api}/partners`);
  const [partnerId, setPartnerId] = useState(partner ? String(partner.id) : '');
  const [code, setCode] = useState('');
  const [isChecked, setChecked] = useState(false);
  const [created, setCreated] = useState<CreatedLink | null>(null);
  if (created) {
    return (
      <ResultDialog title={messages.ready} onClose={onClose}>
        <CopyText label={messages.partnerLink} text={created.url} />
      </ResultDialog>
    );
  }
  const partnerError = partnerId === '' || partnerId === UNKNOWN_PARTNER ? CHOOSE_PARTNER : null;
  const isCodeValid = code.trim() === '' || LINK_CODE.test(code.trim());
  const codeError = isCodeValid ? null : messages.codeWrong;
  const save = async () => {
    setChecked(true);
    if (partnerError !== null || codeError !== null) return false;
    const body = {
      partner_id: Number(partnerId),
      ...(code.trim() !== '' && { short_link: code.trim() }),
    };
    setCreated(
      (await mutateAsync({ method: 'POST', path: `${api}/links`, body, ifLost: messages.lost })).data,
    );
    return false;
  };
  return (
    <FormDialog
      title={partner ? messages.createFor(partner.name) : messages.create}
      submit={common.create}
      onSubmit={save}
      onClose={onClose}
    >
      {!partner && (
        <PartnerField
          label={common.partner}
          placeholder={messages.partnerExample}
          value={partnerId}
          onChange={setPartnerId}
          error={isChecked ? partnerError : null}
        />
      )}
      <TextField
        label={messages.code}
        hint={messages.codeHint}
        value={code}
        onInput={setCode}
        error={isChecked ? codeError : null}
        autofocus={partner !== undefined}
      />
    </FormDialog>
  );
}
