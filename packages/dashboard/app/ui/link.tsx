import type { ComponentChildren, JSX } from 'preact';
import { pageUrl } from '../mount.ts';

/** A link to a dashboard page. `to` must start with a slash. */
export function Link({
  to,
  children,
  button,
  current,
}: {
  to: string;
  children: ComponentChildren;
  /** Renders the link as a button. */
  button?: 'primary' | 'normal';
  current?: 'page' | 'true' | undefined;
}): JSX.Element {
  return (
    <a
      href={pageUrl(to)}
      class={button === 'primary' ? 'button primary' : button && 'button'}
      aria-current={current}
    >
      {children}
    </a>
  );
}
