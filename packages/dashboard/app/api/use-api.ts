import {
  keepPreviousData,
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import { ApiError, get, type Query, send } from './client.ts';

const FRESH_MS = 15_000;
const RETRIES = 2;

/** Statuses that a further attempt can change. */
function isTemporary(error: Error): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: FRESH_MS, retry: (count, error) => count < RETRIES && isTemporary(error) },
    },
  });
}

export interface ApiOptions {
  readonly enabled?: boolean;
  /** Reads the route again at this interval while the page is visible. */
  readonly refreshMs?: number;
}

/** Reads an API route. A changed query keeps the previous data on the page until the new data arrive. */
export function useApi<T>(
  path: string,
  query: Query = {},
  options: ApiOptions = {},
): UseQueryResult<T, Error> {
  return useQuery<T, Error>({
    queryKey: [path, query],
    queryFn: ({ signal }) => get<T>(path, query, signal),
    placeholderData: keepPreviousData,
    ...(options.enabled !== undefined && { enabled: options.enabled }),
    ...(options.refreshMs !== undefined && { refetchInterval: options.refreshMs }),
  });
}

export interface Change {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/**
 * Sends a change, and then reads again what starts with one of the paths.
 * @param refreshes path prefixes of the routes whose data the change affects
 */
export function useChange<T = unknown>(...refreshes: readonly string[]): UseMutationResult<T, Error, Change> {
  const client = useQueryClient();
  return useMutation<T, Error, Change>({
    mutationFn: ({ method, path, body }) => send<T>(method, path, body),
    onSuccess: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          typeof path === 'string' && refreshes.some((prefix) => path.startsWith(prefix)),
      }),
  });
}
