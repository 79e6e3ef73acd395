import { createAffkit } from '@affkit/core';
import { fetchAdapter } from '@affkit/core/fetch';
import { sqliteEngine } from '@affkit/core/sqlite';

const OWNER = { email: 'owner@shop.test', password: 'password for tests only' };
/** Another site of the shop, whose pages send clicks too. */
export const BLOG = 'https://blog.your-shop.example';
export const APP_SECRET = 'secret-of-the-app-of-the-guide-32-characters';

/** A program with a partner whose link has the code `ann`. */
export interface Seed {
  readonly programId: number;
  readonly token: string;
}

/** Creates the app's database, which contains a program for the app's pages. The app starts with this database. */
export async function seedDatabase(path: string, origin: string): Promise<Seed> {
  const core = createAffkit({ engine: sqliteEngine({ path }), secret: APP_SECRET });
  try {
    await core.migrate();
    await core.ensureFirstOwner(OWNER);
    const manage = await signIn(fetchAdapter(core), origin);
    const created = await manage('POST', '/api/advertiser/affiliate-programs', {
      name: 'Shop',
      site_url: origin,
      allowed_origins: [origin, BLOG],
      hold_days: 30,
      commission: { type: 'percent', rate: 20 },
    });
    const { id, api_token: token } = created['data'] as { id: number; api_token: string };
    await manage('POST', `/api/advertiser/affiliate-programs/${id}/partners`, {
      name: 'Ann',
      email: 'ann@partner.test',
      code: 'ann',
    });
    return { programId: id, token };
  } finally {
    await core.close();
  }
}

/** Sends management requests as the owner. A call rejects if its request fails. */
export interface Manage {
  (method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
  readonly token: string;
}

export async function signIn(
  send: (request: Request) => Promise<Response>,
  baseUrl: string,
): Promise<Manage> {
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const headers = {
      ...(body && { 'content-type': 'application/json' }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const init = { method, headers, body: body ? JSON.stringify(body) : null };
    const response = await send(new Request(baseUrl + path, init));
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  };
  const { token } = await call('POST', '/api/auth/login', OWNER);
  return Object.assign(
    (method: string, path: string, body?: object) => call(method, path, body, String(token)),
    { token: String(token) },
  );
}
