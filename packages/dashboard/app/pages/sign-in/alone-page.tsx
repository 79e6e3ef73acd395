import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { Logo } from '../../ui/logo.tsx';

/** A page without navigation, for visitors who are not signed in. */
export function AlonePage({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // The link or field that led here is gone: a screen reader goes on from the new title.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
    document.title = common.documentTitle(title);
  }, [title]);
  return (
    <div class="alone">
      <main class="stack wide">
        <div class="stack tight">
          <Logo size={32} />
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
        </div>
        {children}
      </main>
    </div>
  );
}
