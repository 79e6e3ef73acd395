import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import { isForbidden } from '../api/client.ts';
import { OverlayHost } from './page-overlay.tsx';
import { ErrorNotice } from './state.tsx';

/**
 * The path of the page that was last shown, or undefined while the first page is shown. The browser sets the
 * focus on the first page.
 */
let shownPath: string | undefined;

/** Keeps the focus on the page. The code is loaded when the user moves the focus for the first time. */
function keepFocus(): void {
  import('./keep-focus.ts').then(
    (module) => module.keepFocus(),
    () => {},
  );
}

/** A page with a title and, on the same line, actions. */
export function Page({
  title,
  above,
  intro,
  actions,
  error = null,
  children,
}: {
  title: string;
  /** A link back to the list, if the page shows one row of a list. */
  above?: ComponentChildren;
  intro?: ComponentChildren;
  actions?: ComponentChildren;
  /**
   * The error of the data that the page shows. If the user's role does not allow the page, the error replaces the
   * actions and the content.
   */
  error?: Error | null | undefined;
  children: ComponentChildren;
}): JSX.Element {
  const isBarred = error && isForbidden(error);
  const heading = useRef<HTMLHeadingElement>(null);
  const { path } = useLocation();
  // The clicked link may be missing on the new page. Focus the title, so that screen readers continue there.
  useEffect(() => {
    const active = document.activeElement;
    const isLost = active === document.body || active?.localName === 'h1';
    const isMoved = shownPath !== undefined && (isLost || shownPath !== path);
    shownPath = path;
    if (isMoved && !heading.current?.closest('main')?.contains(active))
      heading.current?.focus({ preventScroll: true });
  }, [path]);
  useEffect(() => {
    document.title = common.documentTitle(title);
  }, [title]);
  return (
    <main class="page" id="main" tabIndex={-1} onFocusIn={keepFocus}>
      <OverlayHost>
        <header class="page-head">
          <div>
            {above && <div class="crumb">{above}</div>}
            <h1 tabIndex={-1} ref={heading}>
              {title}
            </h1>
            {intro && <p>{intro}</p>}
          </div>
          {!isBarred && actions && <div class="row">{actions}</div>}
        </header>
        {isBarred ? <ErrorNotice error={error} /> : children}
      </OverlayHost>
    </main>
  );
}
