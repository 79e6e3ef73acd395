import type { ComponentChildren, JSX } from 'preact';
import { pageUrl } from '../mount.ts';

/** A link to a dashboard page. `to` must start with a slash. */
export function Link({
  to,
  children,
  button,
  current,
  whole,
  label,
}: {
  to: string;
  children: ComponentChildren;
  /** Renders the link as a button. */
  button?: 'primary' | 'normal';
  current?: 'page' | 'true' | undefined;
  /**
   * The whole text of a link in a table, for the tooltip. On a wide screen, the visible text is cut to one line.
   */
  whole?: string;
  /** Name for screen readers, which contains the visible text. */
  label?: string;
}): JSX.Element {
  return (
    <a
      href={pageUrl(to)}
      class={button ? `button ${button}` : whole && 'line'}
      title={whole}
      aria-current={current}
      aria-label={label}
    >
      {children}
    </a>
  );
}
