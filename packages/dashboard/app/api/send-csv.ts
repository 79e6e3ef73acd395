import { apiUrl, type Query, request } from './client.ts';

/**
 * Sends a CSV file to a route.
 * @throws ApiError
 */
export function sendCsv<T>(path: string, query: Query, csv: string): Promise<T> {
  return request<T>(apiUrl(path, query), {
    method: 'POST',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
}
