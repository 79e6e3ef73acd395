import type { JSX } from 'preact';
import * as common from '#messages/common.ts';
import * as messages from '#messages/links.ts';
import type { Link } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { useProgram } from '../../session/session.tsx';
import { copyText } from '../../ui/copy.ts';
import { loadCopyFailed } from '../../ui/copy-button.tsx';
import { ActionMenu } from '../../ui/menu.tsx';
import { usePageOverlay } from '../../ui/page-overlay.tsx';
import { useToast } from '../../ui/toast.tsx';

const loadQrDialog = () => import('./qr-dialog.tsx').then((module) => module.QrDialog);

type LinkStatus = Link['status'];

/** The actions on a link. Activating and deactivating a link can be undone. */
export function LinkActions({
  link,
}: {
  link: Pick<Link, 'id' | 'short_link' | 'status' | 'url'>;
}): JSX.Element {
  const { api, may } = useProgram();
  const { mutateAsync } = useChange(`${api}/links`, `${api}/partners`);
  const toast = useToast();
  const { id, short_link, status, url } = link;
  const { load } = usePageOverlay();
  const setStatus = async (next: LinkStatus, undo?: LinkStatus) => {
    try {
      await mutateAsync({ method: 'PUT', path: `${api}/links/${id}`, body: { status: next } });
      toast(messages.isNow[next](short_link), undo && { text: common.undo, run: () => void setStatus(undo) });
    } catch (error) {
      toast(error instanceof Error ? error.message : common.changeFailed);
    }
  };
  const copy = async () => {
    if (await copyText(url)) toast(messages.copied);
    else load(loadCopyFailed, { text: url });
  };
  const actions = [
    { text: messages.copy, run: () => void copy() },
    { text: messages.qrCode, run: () => load(loadQrDialog, { link }) },
    ...(!may('link:update')
      ? []
      : status === 'active'
        ? [{ text: messages.deactivate, danger: true, run: () => void setStatus('inactive', 'active') }]
        : [{ text: messages.activate, run: () => void setStatus('active', 'inactive') }]),
  ];
  return <ActionMenu label={common.actionsFor(short_link)} actions={actions} />;
}
