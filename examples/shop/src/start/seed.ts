import { COMMISSION, PRODUCTS } from '../catalog.ts';
import type { SeededDemo } from './demo-state.ts';
import { StartError } from './ports.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const SLUG = 'leaf-and-kettle';

const PARTNERS = [
  { name: 'The Steeping Room', email: 'hello@steeping-room.example', code: 'steeping-room' },
  { name: 'Slow Kitchen Letters', email: 'post@slow-kitchen.example', code: 'slow-kitchen' },
] as const;

const PANEL_KEY = {
  name: 'Live panel of the demo shop',
  scopes: ['partner:list', 'trace:read', 'program:update'],
} as const;

interface Owner {
  readonly email: string;
  readonly password: string;
}

/**
 * Creates the program of the demo and its partners through the API. Continues an earlier setup that was
 * interrupted.
 * @throws StartError if the owner cannot sign in
 */
export async function seedDemo(baseUrl: string, owner: Owner, shopUrl: string): Promise<SeededDemo> {
  const session = await signIn(baseUrl, owner);
  const api = <T>(method: string, path: string, body?: object) =>
    call<T>(baseUrl, session, method, path, body);
  const { id, token } = await ensureProgram(api, shopUrl);
  const program = `${PROGRAMS}/${id}`;
  const policies = await api<{ product_id: string | null }[]>('GET', `${program}/commission-policies`);
  for (const { id: productId, flatCommissionCents } of PRODUCTS) {
    if (flatCommissionCents === undefined || policies.some((policy) => policy.product_id === productId))
      continue;
    const policy = { type: 'flat', amount_cents: flatCommissionCents, product_id: productId };
    await api('POST', `${program}/commission-policies`, policy);
  }
  for (const partner of PARTNERS) await api('POST', `${program}/partners`, partner);
  const { key } = await api<{ key: string }>('POST', '/api/advertiser/api-keys', {
    ...PANEL_KEY,
    program_scope: [String(id)],
  });
  return { programId: id, token, key, shopUrl, partners: PARTNERS.map(({ name, code }) => ({ name, code })) };
}

/**
 * Allows the shop to report clicks from a new URL.
 * @returns null if the server does not accept the demo's key
 */
export async function updateShopUrl(
  baseUrl: string,
  demo: SeededDemo,
  shopUrl: string,
): Promise<SeededDemo | null> {
  const path = `${PROGRAMS}/${demo.programId}`;
  const response = await fetch(baseUrl + path, requestOf('PUT', demo.key, shopLocation(shopUrl)));
  if (response.status === 401) return null;
  await readData(response, `PUT ${path}`);
  return { ...demo, shopUrl };
}

type Api = <T>(method: string, path: string, body?: object) => Promise<T>;

async function ensureProgram(api: Api, shopUrl: string): Promise<{ id: number; token: string }> {
  const programs = await api<{ id: number; slug: string }[]>('GET', `${PROGRAMS}?pageSize=100`);
  const existing = programs.find(({ slug }) => slug === SLUG);
  if (existing) {
    await api('PUT', `${PROGRAMS}/${existing.id}`, shopLocation(shopUrl));
    // The API only returns the token when it is created, and the earlier run did not store it.
    const renewed = await api<{ api_token: string }>(
      'POST',
      `${PROGRAMS}/${existing.id}/regenerate-api-token`,
    );
    return { id: existing.id, token: renewed.api_token };
  }
  const created = await api<{ id: number; api_token: string }>('POST', PROGRAMS, {
    name: 'Leaf & Kettle',
    slug: SLUG,
    commission: COMMISSION,
    ...shopLocation(shopUrl),
  });
  await api('POST', `${PROGRAMS}/${created.id}/go-live`);
  return { id: created.id, token: created.api_token };
}

function shopLocation(shopUrl: string) {
  return { site_url: shopUrl, allowed_origins: [shopUrl] };
}

async function signIn(baseUrl: string, owner: Owner): Promise<string> {
  const response = await fetch(`${baseUrl}/api/auth/login`, requestOf('POST', undefined, owner));
  if (response.status === 401) {
    throw new StartError(
      `The database already has users, and ${owner.email} cannot sign in with the demo's password. ` +
        'Set ADMIN_EMAIL and ADMIN_PASSWORD to one of its owners, or set another DATA_DIR for a second demo.',
    );
  }
  const body = (await response.json()) as { token?: string; error?: string };
  if (body.token === undefined) throw new StartError(`The sign-in failed: ${body.error}`);
  return body.token;
}

async function call<T>(
  baseUrl: string,
  credential: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  return readData(await fetch(baseUrl + path, requestOf(method, credential, body)), `${method} ${path}`);
}

async function readData<T>(response: Response, request: string): Promise<T> {
  const body = (await response.json()) as { data?: unknown; error?: string };
  if (!response.ok) throw new StartError(`${request} failed: ${response.status} ${body.error}`);
  // The API documents this shape.
  return body.data as T;
}

function requestOf(method: string, credential: string | undefined, body?: object): RequestInit {
  return {
    method,
    headers: {
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
}
