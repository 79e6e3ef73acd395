import type { ComponentChildren, JSX } from 'preact';
import { CopyButton } from './copy-button.tsx';

/**
 * Code to copy, with its title.
 * @param shown the text to show, if it is not the code itself
 * @param children buttons beside the copy button
 */
export function CodeBlock({
  title,
  code,
  shown = code,
  children,
}: {
  title: string;
  code: string;
  shown?: string;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{title}</span>
        <span class="row tight">
          {children}
          <CopyButton text={code} name={title} />
        </span>
      </figcaption>
      <pre class="code">
        <code>{shown}</code>
      </pre>
    </figure>
  );
}
