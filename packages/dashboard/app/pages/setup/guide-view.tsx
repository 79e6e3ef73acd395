import type { JSX } from 'preact';
import { CodeBlock } from '../../ui/code-block.tsx';
import type { Guide } from './snippets.ts';

/** What to do, with the code to copy. */
export function GuideView({ guide: { text, snippets, note } }: { guide: Guide }): JSX.Element {
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
