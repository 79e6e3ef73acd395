import {
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import { ApiError, get, isLost, type Query, send } from './client.ts';
import { isSameScope } from './same-scope.ts';
import { wait } from './wait.ts';

const FRESH_MS = 15_000;
const RETRIES = 2;
/**
 * A dialog waits at most this time for the data that its change affects. It cannot be closed before its change ends,
 * and the requests for the data have no time limit.
 */
const MAX_RELOAD_MS = 10_000;

/** Whether a retry may succeed, judging by the status. */
export function isTemporary(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // While the browser is offline, a change must fail at once. By default, the change would wait until the browser
      // is online again, and until then, the dialog that sent the change could not be closed.
      mutations: { networkMode: 'always' },
      queries: { staleTime: FRESH_MS, retry: (count, error) => count < RETRIES && isTemporary(error) },
    },
  });
}

export interface ApiQuery<T> {
  readonly queryKey: readonly [path: string, query: Query];
  readonly queryFn: (context: { readonly signal: AbortSignal }) => Promise<T>;
}

/** A reply in the cache. */
export interface CachedReply<T> {
  readonly reply: T;
  /** The time when the reply arrived. */
  readonly receivedAt: number;
  /** The number of replies to this query, including this one. */
  readonly count: number;
}

export interface ApiOptions<T = unknown> {
  readonly enabled?: boolean;
  /**
   * The time in milliseconds until the route is read again while the page is visible, or false for never. The route is
   * not read again after an error that a retry cannot solve.
   */
  readonly refreshMs?: number | ((cached: CachedReply<T>) => number | false);
}

/** Returns the key and the function of a query that reads an API route. */
export function apiQuery<T>(path: string, query: Query = {}): ApiQuery<T> {
  return { queryKey: [path, query], queryFn: ({ signal }) => get<T>(path, query, signal) };
}

/**
 * Reads an API route. When a filter, the sort order, or the page changes, the page shows the previous data until the
 * new data arrive. Data of another program or partner are never shown.
 */
export function useApi<T>(
  path: string,
  query: Query = {},
  { enabled, refreshMs }: ApiOptions<T> = {},
): UseQueryResult<T, Error> {
  const request = apiQuery<T>(path, query);
  return useQuery<T, Error, T, ApiQuery<T>['queryKey']>({
    ...request,
    placeholderData: (data, before) =>
      before && isSameScope(request.queryKey, before.queryKey) ? data : undefined,
    ...(enabled !== undefined && { enabled }),
    ...(refreshMs !== undefined && {
      refetchInterval: ({ state: { data, dataUpdatedAt, dataUpdateCount, error } }) => {
        if (error !== null && !isTemporary(error)) return false;
        if (typeof refreshMs === 'number') return refreshMs;
        return (
          data !== undefined && refreshMs({ reply: data, receivedAt: dataUpdatedAt, count: dataUpdateCount })
        );
      },
    }),
  });
}

export interface Change {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  /**
   * The error message if no reply from Affkit arrives. Set it for a change that must not be repeated blindly. If the
   * message is shown, the affected data are reloaded, so that the user can see whether the change was made.
   */
  readonly ifLost?: string;
  /**
   * Set it for a form that stays on the page and drops the sent values after the change. The change then ends only when
   * the data have been reloaded. Otherwise the form would show the old values, and the next change could store them
   * again.
   */
  readonly stays?: true;
}

/**
 * Sends a change, and then reloads all data whose path starts with one of the prefixes. Marks all other data, such as
 * the audit log, as stale, so that they are read again when a page shows them.
 * @param refreshes path prefixes of the routes whose data the change affects
 */
export function useChange<T = unknown>(...refreshes: readonly string[]): UseMutationResult<T, Error, Change> {
  const client = useQueryClient();
  const reload = () => {
    void client.invalidateQueries({ refetchType: 'none' });
    return client.invalidateQueries({
      predicate: ({ queryKey: [path] }) => refreshes.some((prefix) => String(path).startsWith(prefix)),
    });
  };
  return useMutation<T, Error, Change>({
    mutationFn: ({ method, path, body, ifLost }) =>
      send<T>(method, path, body).catch((error: unknown) => {
        if (ifLost === undefined || !isLost(error)) throw error;
        void reload();
        throw new Error(ifLost);
      }),
    onSuccess: (_, { stays }) => (stays ? reload() : Promise.race([reload(), wait(MAX_RELOAD_MS)])),
  });
}
