import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/ui.tsx';
import { Button } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';

/** The start of a secret, such as `aff_`, which shows its kind. */
const START = /^.*?aff[a-z]?_/;

/** A secret to copy, with a label. The page contains the secret only while the user wants to see it. */
export function CopySecret({
  label,
  text,
  hint,
}: {
  label: string;
  text: string;
  hint: string;
}): JSX.Element {
  const [isShown, setShown] = useState(false);
  const masked = `${START.exec(text)?.[0] ?? ''}${'•'.repeat(12)}`;
  return (
    <div class="field">
      <span class="label">{label}</span>
      <code class="code">{isShown ? text : masked}</code>
      <span class="hint">{hint}</span>
      <div class="row">
        <CopyButton text={text} />
        <Button onClick={() => setShown(!isShown)}>
          {isShown ? messages.hideSecret : messages.showSecret}
        </Button>
      </div>
    </div>
  );
}
