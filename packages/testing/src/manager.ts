/**
 * Thrown when the test server rejects a request that this package sent, for example in `manage()` or
 * `partner.click()`.
 */
export class TestAffkitError extends Error {
  static {
    TestAffkitError.prototype.name = 'TestAffkitError';
  }
}

/** Calls the management API as the owner of the workspace. */
export interface Manager {
  /**
   * Sends a request and returns its response body.
   *
   * @throws TestAffkitError if the status is not 2xx
   */
  call(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
}

/** A session expires after 12 hours by the server's clock. The manager renews it well before that. */
const RENEW_AFTER_MS = 3_600_000;

/** Creates a manager. It signs in on its first call. */
export function createManager(
  serve: (request: Request) => Promise<Response>,
  options: {
    readonly baseUrl: string;
    readonly now: () => number;
    readonly credentials: { readonly email: string; readonly password: string };
  },
): Manager {
  let session: { readonly token: string; readonly sinceMs: number } | undefined;

  const send = async (method: string, path: string, body: unknown, token?: string) => {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await serve(new Request(options.baseUrl + path, { method, headers, body: text }));
    const fields = (await response.json()) as Readonly<Record<string, unknown>>;
    if (response.ok) return fields;
    throw new TestAffkitError(
      `${method} ${path} failed with status ${response.status}: ${String(fields['error'])}`,
    );
  };

  return {
    async call(method, path, body) {
      const testNowMs = options.now();
      if (session === undefined || testNowMs - session.sinceMs > RENEW_AFTER_MS) {
        const { token } = await send('POST', '/api/auth/login', options.credentials);
        session = { token: String(token), sinceMs: testNowMs };
      }
      return send(method, path, body, session.token);
    },
  };
}
