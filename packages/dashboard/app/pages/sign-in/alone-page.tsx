import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { ICON_URL } from '../../mount.ts';

/** A page without navigation, for visitors who are not signed in. */
export function AlonePage({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  useEffect(() => {
    document.title = common.documentTitle(title);
  }, [title]);
  return (
    <div class="alone">
      <main class="stack wide">
        <div class="stack tight">
          <img src={ICON_URL} width={32} height={32} alt="" />
          <h1>{title}</h1>
        </div>
        {children}
      </main>
    </div>
  );
}
