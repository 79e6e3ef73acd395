import type { Transport, TransportRequest, TransportResponse } from '../transport.ts';

/** How the requests of a management route differ from the requests of a tracking route, which `send` makes. */
interface RouteRequest {
  readonly method: TransportRequest['method'];
  readonly contentType: string;
  /** Whether a success is a CSV file. */
  readonly isCsv: boolean;
}

/** Wraps a transport, so that it sends the requests of a route. */
export function routeTransport(
  transport: Transport,
  { method, contentType, isCsv }: RouteRequest,
): {
  readonly transport: Transport;
  /** The last CSV file, whose body is left to the caller. Undefined if the last reply was something else. */
  readonly file: () => TransportResponse | undefined;
} {
  let file: TransportResponse | undefined;
  return {
    file: () => file,
    async transport(request) {
      const { 'content-type': _json, ...others } = request.headers;
      // Also without a body, because SvelteKit rejects writes without a type as possible forgeries.
      const type = method === 'GET' ? undefined : { 'content-type': contentType };
      const accept = isCsv ? { accept: 'text/csv, application/json' } : undefined;
      const headers = { ...others, ...type, ...accept };
      const response = await transport({ ...request, method, headers, prefersStream: true });
      // The HTML page of a proxy must not be stored as the file.
      const isFile =
        isCsv && response.status === 200 && response.headers.get('content-type')?.startsWith('text/csv');
      file = isFile ? response : undefined;
      if (!isFile) return response;
      return { status: response.status, headers: response.headers, text: async () => '' };
    },
  };
}
