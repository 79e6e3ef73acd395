import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';

/** A page with its title, and with actions at the end of the title's line. */
export function Page({
  title,
  above,
  intro,
  actions,
  children,
}: {
  title: string;
  /** A link to the list that this page belongs to. */
  above?: ComponentChildren;
  intro?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    document.title = `${title} · Affkit`;
  }, [title]);
  return (
    <main class="page" id="main" tabIndex={-1}>
      <header class="page-head">
        <div>
          {above && <div class="crumb">{above}</div>}
          <h1>{title}</h1>
          {intro && <p>{intro}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </main>
  );
}
