import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as messages from '#messages/ui.tsx';
import { CodeBlock } from './code-block.tsx';
import { Button } from './controls.tsx';

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
      <CodeBlock title={label} code={text} shown={isShown ? text : masked}>
        <Button kind="plain" onClick={() => setShown(!isShown)}>
          {isShown ? messages.hideSecret : messages.showSecret}
        </Button>
      </CodeBlock>
      <span class="hint">{hint}</span>
    </div>
  );
}
