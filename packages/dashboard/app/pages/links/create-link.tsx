import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ItemReply, Link, Partner } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { Button, TextField } from '../../ui/controls.tsx';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog, FormDialog } from '../../ui/dialog.tsx';
import { CHOOSE_PARTNER, PartnerField, UNKNOWN_PARTNER } from '../../ui/partner-field.tsx';

type CreatedLink = Pick<Link, 'url' | 'short_link'>;

const CODE = /^[A-Za-z0-9_-]{2,64}$/;

/** Adds a link, and then shows it. Without `partner`, the partner is chosen. */
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
      <Dialog title="The link is ready" onClose={onClose}>
        <CopyText label="Partner link" text={created.url} />
        <div class="dialog-end">
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </div>
      </Dialog>
    );
  }
  const partnerError = partnerId === '' || partnerId === UNKNOWN_PARTNER ? CHOOSE_PARTNER : null;
  const isCodeValid = code.trim() === '' || CODE.test(code.trim());
  const codeError = isCodeValid ? null : 'Use 2 to 64 letters, digits, hyphens, and underscores.';
  const save = async () => {
    setChecked(true);
    if (partnerError !== null || codeError !== null) return false;
    const body = {
      partner_id: Number(partnerId),
      ...(code.trim() !== '' && { short_link: code.trim() }),
    };
    setCreated((await mutateAsync({ method: 'POST', path: `${api}/links`, body })).data);
    return false;
  };
  return (
    <FormDialog
      title={partner ? `Create a link for ${partner.name}` : 'Create a link'}
      submit="Create"
      onSubmit={save}
      onClose={onClose}
    >
      {!partner && (
        <PartnerField
          label="Partner"
          placeholder="Name or email"
          value={partnerId}
          onChange={setPartnerId}
          error={isChecked ? partnerError : null}
        />
      )}
      <TextField
        label="Code (optional)"
        hint="The last part of the link, such as SPRING. Without one, Affkit generates it. It cannot be changed later."
        value={code}
        onInput={setCode}
        error={isChecked ? codeError : null}
        autofocus={partner !== undefined}
      />
    </FormDialog>
  );
}
