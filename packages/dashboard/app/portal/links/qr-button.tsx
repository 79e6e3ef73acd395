import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/links.ts';
import type { PortalLink } from '../../api/types.ts';
import type { QrDialog } from '../../pages/links/qr-dialog.tsx';
import { Button } from '../../ui/controls.tsx';

/** A button that shows the QR code of a link. The code that draws it is loaded on the first click. */
export function QrButton({ link }: { link: Pick<PortalLink, 'short_link' | 'url'> }): JSX.Element {
  const [shown, setShown] = useState<{ readonly QrDialog: typeof QrDialog } | null>(null);
  const open = () => void import('../../pages/links/qr-dialog.tsx').then(setShown);
  return (
    <>
      <Button label={messages.qrTitle(link.short_link)} onClick={open}>
        {messages.qrCode}
      </Button>
      {shown && <shown.QrDialog link={link} onClose={() => setShown(null)} />}
    </>
  );
}
