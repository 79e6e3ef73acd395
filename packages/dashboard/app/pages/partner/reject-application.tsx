import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/reject-application.ts';
import type { PartnerDetail } from '../../api/types.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextArea } from '../../ui/text-area.tsx';
import { usePartnerStatus } from '../partners/use-partner-status.ts';

/** Rejects an application, with an optional reason that the partner sees. */
export function RejectApplication({
  partner,
  onClose,
}: {
  partner: PartnerDetail;
  onClose: () => void;
}): JSX.Element {
  const { set } = usePartnerStatus(partner);
  const [reason, setReason] = useState('');
  return (
    <FormDialog
      title={messages.title(partner.name)}
      submit={common.reject}
      onSubmit={() => set('rejected', reason.trim())}
      onClose={onClose}
    >
      <TextArea
        label={messages.reasonLabel}
        hint={messages.reasonHint}
        value={reason}
        onInput={(text) => setReason(text.slice(0, 500))}
      />
    </FormDialog>
  );
}
