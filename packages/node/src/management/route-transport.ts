import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

/** `send` makes tracking requests. These properties turn such a request into a management request. */
interface RouteRequest {
  readonly method: TransportRequest['method'];
  readonly contentType: string;
  /** Whether a successful response is a CSV file. */
  readonly isCsv: boolean;
}

/** Wraps a transport so that it sends the requests of a management route. */
export function routeTransport(
  transport: Transport,
  { method, contentType, isCsv }: RouteRequest,
): {
  readonly transport: Transport;
  /** The last response if it is a CSV file, with its body unread; otherwise undefined. */
  readonly file: () => TransportResponse | undefined;
} {
  let file: TransportResponse | undefined;
  return {
    file: () => file,
    async transport(request) {
      const { 'content-type': _json, ...others } = request.headers;
      // Write requests without a body need a content type too. If Affkit runs inside a SvelteKit app, SvelteKit would
      // otherwise reject them as possible request forgeries.
      const type = method === 'GET' ? undefined : { 'content-type': contentType };
      const accept = isCsv ? { accept: 'text/csv, application/json' } : undefined;
      const headers = { ...others, ...type, ...accept };
      const response = await transport({ ...request, method, headers, prefersStream: true });
      // Callers must not save the HTML page of a proxy as the CSV file.
      const isFile =
        isCsv && response.status === 200 && response.headers.get('content-type')?.startsWith('text/csv');
      file = isFile ? response : undefined;
      if (!isFile) return response;
      return { status: response.status, headers: response.headers, text: async () => '' };
    },
  };
}
