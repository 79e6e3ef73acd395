import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { Logo } from '../../ui/logo.tsx';

/** A page without navigation, for users who are not signed in. */
export function AlonePage({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The element that had the focus is gone. Focus the title, so that screen readers continue there.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    document.title = common.documentTitle(title);
  }, [title]);
  return (
    <div class="alone">
      <main class="stack wide">
        <div class="stack tight">
          <div class="row">
            <Logo size={32} />
            <strong>{common.brand}</strong>
          </div>
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
        </div>
        {children}
      </main>
    </div>
  );
}
