import type { JSX } from 'preact';
import { CodeBlock } from './code-block.tsx';

/** A text to copy, with its label. */
export function CopyText({ label, text, hint }: { label: string; text: string; hint?: string }): JSX.Element {
  return (
    <div class="field">
      <CodeBlock title={label} code={text} />
      {hint !== undefined && <span class="hint">{hint}</span>}
    </div>
  );
}
