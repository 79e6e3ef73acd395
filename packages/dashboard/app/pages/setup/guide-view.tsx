import type { JSX } from 'preact';
import { CodeBlock } from '../../ui/code-block.tsx';
import type { Snippet } from './snippets.ts';

/** A guide with code to copy. */
export function GuideView({
  guide: { text, note },
  snippets,
}: {
  guide: { readonly text: string; readonly note?: string };
  snippets: readonly Snippet[];
}): JSX.Element {
  return (
    <div class="stack">
      <p>{text}</p>
      {snippets.map(({ title, code }) => (
        <CodeBlock key={title} title={title} code={code} />
      ))}
      {note !== undefined && <p class="quiet">{note}</p>}
    </div>
  );
}
