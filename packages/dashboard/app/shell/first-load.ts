import type { QueryClient } from '@tanstack/preact-query';
import { createQueryClient } from '../api/use-api.ts';
import { wait } from '../api/wait.ts';
import { formatCount } from '../format/number.ts';
import { BASE_PATH } from '../mount.ts';
import { type PageTable, pageAt } from './page-table.ts';

/** The query cache that `loadFirst` has filled. The pages take it over when they are rendered. */
let firstClient: QueryClient | undefined;

/**
 * Loads the session and the code of the page in the URL, and requests the data of the page. The first
 * rendering shows the page while these requests run. From then on, pointing at a link loads the code of its
 * page.
 * @param home the path of the pages below the mount point
 * @param loadView loads the session into the cache, and returns the view that the page shows, or null
 */
export async function loadFirst<View>(
  pages: PageTable<View>,
  home: string,
  loadView: (client: QueryClient) => Promise<View | null>,
): Promise<void> {
  const client = createQueryClient();
  const pageOf = (path: string) => pageAt(pages, path.slice(BASE_PATH.length + home.length));
  const page = pageOf(location.pathname);
  for (const type of ['pointerover', 'focusin']) {
    addEventListener(type, ({ target }) => {
      const link = target instanceof Element && target.closest('a');
      if (link) void pageOf(link.pathname)?.preload();
    });
  }
  const [view, component] = await Promise.all([loadView(client).catch(() => null), page?.preload()]);
  firstClient = client;
  if (view) component?.prefetch?.(client, view, Object.fromEntries(new URLSearchParams(location.search)));
  // End the current task of the event loop, because a long task blocks the browser.
  await wait(0);
  // The browser needs up to 50 ms to create the first formatter. Create it after the first rendering, which
  // shows no numbers, while the replies are on their way.
  setTimeout(() => formatCount(0));
}

export function takeFirstClient(): QueryClient {
  const client = firstClient ?? createQueryClient();
  firstClient = undefined;
  return client;
}
