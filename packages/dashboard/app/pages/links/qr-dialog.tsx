import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { encode } from 'uqr';
import * as common from '#messages/common.ts';
import * as messages from '#messages/links.ts';
import type { Link } from '../../api/types.ts';
import { CopyText } from '../../ui/copy-text.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { qrPathOf, svgFile } from './qr-path.ts';

/** The width of the light border that scanners need, in modules. */
const QUIET_ZONE = 4;

/** The QR code of a link. Users can scan it, or download it for print. */
export function QrDialog({
  link,
  onClose,
}: {
  link: Pick<Link, 'short_link' | 'url'>;
  onClose: () => void;
}): JSX.Element {
  const { data, size } = useMemo(() => encode(link.url, { border: QUIET_ZONE }), [link.url]);
  const [file, setFile] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([svgFile(data, size)], { type: 'image/svg+xml' }));
    setFile(url);
    return () => URL.revokeObjectURL(url);
  }, [data, size]);
  return (
    <Dialog title={messages.qrTitle(link.short_link)} onClose={onClose}>
      <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={messages.qrText(link.url)}>
        <path d={qrPathOf(data)} />
      </svg>
      <CopyText label={common.link} text={link.url} />
      <div class="dialog-end">
        <a class="button primary" href={file} download={`${link.short_link}.svg`}>
          <Icon name="download" size={16} />
          {messages.downloadSvg}
        </a>
      </div>
    </Dialog>
  );
}
