import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/partners.ts';
import type { Partner } from '../../api/types.ts';
import { FormDialog } from '../../ui/dialog.tsx';
import { ActionMenu, type MenuAction } from '../../ui/menu.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { usePartnerStatus } from './use-partner-status.ts';

/** The actions on a partner. Approving and rejecting can be undone. Banning asks for confirmation. */
export function PartnerActions({
  partner,
  first = [],
}: {
  partner: Partner;
  /** Actions to list before the actions that change the status. */
  first?: readonly MenuAction[];
}): JSX.Element {
  const { set, change } = usePartnerStatus(partner);
  const { open } = usePageOverlay();
  const { name, status } = partner;
  const ban = () =>
    open((onClose) => (
      <FormDialog
        title={messages.banTitle(name)}
        submit={messages.ban}
        danger
        onSubmit={() => set('banned')}
        onClose={onClose}
      >
        <p>{messages.banWarning}</p>
      </FormDialog>
    ));
  const actions = [
    ...first,
    ...(status === 'approved' ? [] : [{ text: common.approve, run: () => void change('approved') }]),
    ...(status === 'pending' ? [{ text: common.reject, run: () => void change('rejected') }] : []),
    ...(status === 'banned' ? [] : [{ text: messages.banWithDialog, danger: true, run: ban }]),
  ];
  return <ActionMenu label={common.actionsFor(name)} actions={actions} />;
}
