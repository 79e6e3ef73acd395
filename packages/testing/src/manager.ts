/** A reply of the server that was not what the test kit asked for. */
export class TestAffkitError extends Error {
  static {
    TestAffkitError.prototype.name = 'TestAffkitError';
  }
}

/** Calls the server's management as the owner of the one workspace. */
export interface Manager {
  /** Gives the body of a 2xx. Throws a `TestAffkitError` on every other reply. */
  call(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>>;
}

/** Sessions end after 12 hours of the server's clock; well before that there is a new one. */
const RENEW_AFTER_MS = 3_600_000;

export function makeManager(
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
    const reply = await serve(new Request(options.baseUrl + path, { method, headers, body: text }));
    const read = (await reply.json()) as Readonly<Record<string, unknown>>;
    if (reply.ok) return read;
    throw new TestAffkitError(`${method} ${path} was answered ${reply.status}: ${String(read['error'])}`);
  };

  return {
    async call(method, path, body) {
      const nowMs = options.now();
      if (session === undefined || nowMs - session.sinceMs > RENEW_AFTER_MS) {
        const { token } = await send('POST', '/api/auth/login', options.credentials);
        session = { token: String(token), sinceMs: nowMs };
      }
      return send(method, path, body, session.token);
    },
  };
}
