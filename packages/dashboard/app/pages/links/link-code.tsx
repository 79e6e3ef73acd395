import type { JSX } from 'preact';
import * as messages from '#messages/links.ts';
import type { Link } from '../../api/types.ts';
import { CopyButton } from '../../ui/copy-button.tsx';

/** The code of a link with its URL, and a button that copies the URL. */
export function LinkCode({ link }: { link: Pick<Link, 'short_link' | 'url'> }): JSX.Element {
  return (
    <span class="copyable">
      <span>
        <strong>{link.short_link}</strong>
        <span class="sub">{link.url.replace(/^https?:\/\//, '')}</span>
      </span>
      <CopyButton text={link.url} label={messages.copyOf(link.short_link)} isIcon />
    </span>
  );
}
