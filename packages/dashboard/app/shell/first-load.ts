import type { QueryClient } from '@tanstack/preact-query';
import { createQueryClient } from '../api/use-api.ts';
import { formatDates } from '../format/time.ts';
import type { LazyPage } from './lazy-page.tsx';

/** The cache that `loadFirst` has filled, until the pages take it. */
let firstClient: QueryClient | undefined;

/**
 * Loads the page of the URL and the session, and requests the data of the page, so that the first rendering
 * shows the page and overlaps with these requests.
 * @param loadView loads the session into the cache
 * @returns the view that the page shows, or null when it has none
 */
export async function loadFirst<View>(
  page: LazyPage<object, View> | undefined,
  loadView: (client: QueryClient) => Promise<View | null>,
): Promise<void> {
  const client = createQueryClient();
  const loading = Promise.all([loadView(client).catch(() => null), page?.preload()]);
  await nextTask();
  // The first date takes the browser 20 ms, which pass while the replies are on their way.
  formatDates(Date.now(), Date.now());
  const [view, component] = await loading;
  firstClient = client;
  if (view) component?.prefetch?.(client, view, Object.fromEntries(new URLSearchParams(location.search)));
  await nextTask();
}

/** Ends the current task, because a long one blocks the browser. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

export function takeFirstClient(): QueryClient {
  const client = firstClient ?? createQueryClient();
  firstClient = undefined;
  return client;
}
