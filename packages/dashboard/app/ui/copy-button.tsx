import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/ui.tsx';
import { Button } from './controls.tsx';
import { copyText } from './copy.ts';
import { useOverlay } from './use-overlay.tsx';

export const loadCopyFailed = () => import('./copy-failed.tsx').then((module) => module.CopyFailed);

const COPIED_MS = 1600;

/**
 * Copies a text and confirms it. Set `name` if there are several such buttons; the button is then less
 * prominent. With `isIcon`, the label is only in the tooltip and for screen readers.
 */
export function CopyButton({
  text,
  label = common.copy,
  name,
  isIcon = false,
}: {
  text: string;
  label?: string;
  name?: string;
  isIcon?: boolean;
}): JSX.Element {
  const [isCopied, setCopied] = useState(false);
  const [failed, showFailed] = useOverlay(loadCopyFailed, { text });
  const copy = async () => {
    if (!(await copyText(text))) return showFailed();
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  const shown = isCopied ? messages.copied : label;
  return (
    <>
      <Button
        icon={isCopied ? 'check' : 'copy'}
        {...((isIcon || name !== undefined) && { kind: 'plain' })}
        {...(isIcon && { label: shown })}
        onClick={() => void copy()}
      >
        {isIcon ? undefined : (
          <>
            {shown}
            {name !== undefined && <span class="hidden">: {name}</span>}
          </>
        )}
      </Button>
      {failed}
    </>
  );
}
