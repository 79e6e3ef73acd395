import type { JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

/** Code to copy, with its title. */
export function CodeBlock({ title, code }: { title: string; code: string }): JSX.Element {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={code} name={title} />
      </figcaption>
      <pre class="code">
        <code>{code}</code>
      </pre>
    </figure>
  );
}
