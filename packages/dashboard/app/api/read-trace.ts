import { get, type Query } from './client.ts';
import type { ListReply, Trace } from './types.ts';

/** The maximum page size of the API. */
const PAGE_SIZE = 100;
const MAX_PAGES = 20;
/** Every page costs the server as much as the whole trace, so few pages are read at the same time. */
const CONCURRENT_PAGES = 4;

/** A trace whose steps come from several pages of the API. */
export interface WholeTrace extends Trace {
  /** The number of steps that were not read, because the trace is too long. They follow the first 100 steps. */
  readonly missingSteps: number;
}

type TracePage = Pick<ListReply<never>, 'meta'> & { readonly data: Trace };

/**
 * Reads all pages of a trace. If it has more than 20 pages, reads only the first page and the last 19. The first page
 * shows where the customer came from.
 * @throws ApiError
 */
export async function readTrace(path: string, query: Query, signal: AbortSignal): Promise<WholeTrace> {
  const readPage = (page?: number) => get<TracePage>(path, { ...query, page, pageSize: PAGE_SIZE }, signal);
  const { data, meta } = await readPage();
  const { pageCount, total } = meta.pagination;
  const steps = [...data.steps];
  for (let next = Math.max(2, pageCount - MAX_PAGES + 2); next <= pageCount; next += CONCURRENT_PAGES) {
    const count = Math.min(CONCURRENT_PAGES, pageCount - next + 1);
    const pages = await Promise.all(Array.from({ length: count }, (_, index) => readPage(next + index)));
    for (const page of pages) steps.push(...page.data.steps);
  }
  return { ...data, steps, missingSteps: Math.max(0, total - steps.length) };
}
