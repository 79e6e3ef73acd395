import type { JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

/** A text to copy, with its label. */
export function CopyText({ label, text, hint }: { label: string; text: string; hint?: string }): JSX.Element {
  return (
    <div class="field">
      <span class="label">{label}</span>
      <code class="code">{text}</code>
      {hint !== undefined && <span class="hint">{hint}</span>}
      <div>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
