import { HttpResponse, http } from 'msw/http';
import { setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';

const server = setupServer();
let isListening = false;

export type Reply = readonly [status: number, body: unknown, headers?: Record<string, string>];

/**
 * Answers each request of the current test with the next reply, and repeats the last one. Returns the received requests.
 */
export function answer(...replies: readonly Reply[]): { readonly requests: Request[] } {
  if (!isListening) {
    isListening = true;
    server.listen({ onUnhandledFrame: 'error' });
    onTestFinished(() => {
      isListening = false;
      server.close();
      server.resetHandlers();
    });
  }
  const requests: Request[] = [];
  server.use(
    http.post('https://affkit.test/*', ({ request }) => {
      const [status, body, headers = {}] = replies[Math.min(requests.length, replies.length - 1)] ?? [
        500,
        '',
      ];
      requests.push(request.clone());
      return typeof body === 'string' || body === null
        ? new HttpResponse(body, { status, headers })
        : HttpResponse.json(body as Record<string, unknown>, { status, headers });
    }),
  );
  return { requests };
}
