import type { SeededDemo } from './demo-state.ts';
import { StartError } from './ports.ts';

const PROGRAMS = '/api/advertiser/affiliate-programs';
const SLUG = 'leaf-and-kettle';

const PARTNERS = [
  { name: 'The Steeping Room', email: 'hello@steeping-room.example', code: 'steeping-room' },
  { name: 'Slow Kitchen Letters', email: 'post@slow-kitchen.example', code: 'slow-kitchen' },
] as const;

/** The kettle pays a flat amount, everything else a share. */
const COMMISSION = { type: 'percent', rate: 20 } as const;
const KETTLE_POLICY = { type: 'flat', amount_cents: 1500, product_id: 'kettle' } as const;

const PANEL_KEY = {
  name: 'Live panel of the demo shop',
  scopes: ['partner:list', 'trace:read', 'program:update'],
} as const;

interface Owner {
  readonly email: string;
  readonly password: string;
}

/**
 * Makes the demo's program, its partners and their links, as its owner would by the API. Where an earlier run was
 * cut off, it goes on with what is there.
 * @throws StartError when the owner's password is not the one that was given
 */
export async function seedDemo(baseUrl: string, owner: Owner, shopUrl: string): Promise<SeededDemo> {
  const session = await signIn(baseUrl, owner);
  const api = <T>(method: string, path: string, body?: object) =>
    call<T>(baseUrl, session, method, path, body);
  const { id, token } = await makeProgram(api, shopUrl);
  const program = `${PROGRAMS}/${id}`;
  const policies = await api<{ product_id: string | null }[]>('GET', `${program}/commission-policies`);
  if (!policies.some((policy) => policy.product_id === KETTLE_POLICY.product_id)) {
    await api('POST', `${program}/commission-policies`, KETTLE_POLICY);
  }
  for (const partner of PARTNERS) await api('POST', `${program}/partners`, partner);
  const { key } = await api<{ key: string }>('POST', '/api/advertiser/api-keys', {
    ...PANEL_KEY,
    program_scope: [String(id)],
  });
  return { programId: id, token, key, shopUrl, partners: PARTNERS.map(({ name, code }) => ({ name, code })) };
}

/**
 * Lets the shop's pages report clicks from another address than before.
 * @returns null where the server does not know the demo's key
 */
export async function moveShop(
  baseUrl: string,
  demo: SeededDemo,
  shopUrl: string,
): Promise<SeededDemo | null> {
  const path = `${PROGRAMS}/${demo.programId}`;
  const response = await fetch(baseUrl + path, requestOf('PUT', demo.key, placeOf(shopUrl)));
  if (response.status === 401) return null;
  await readData(response, `PUT ${path}`);
  return { ...demo, shopUrl };
}

type Api = <T>(method: string, path: string, body?: object) => Promise<T>;

async function makeProgram(api: Api, shopUrl: string): Promise<{ id: number; token: string }> {
  const programs = await api<{ id: number; slug: string }[]>('GET', `${PROGRAMS}?pageSize=100`);
  const existing = programs.find(({ slug }) => slug === SLUG);
  if (existing) {
    await api('PUT', `${PROGRAMS}/${existing.id}`, placeOf(shopUrl));
    // The token was shown when the program was made, and is gone with the run that made it.
    const renewed = await api<{ api_token: string }>(
      'POST',
      `${PROGRAMS}/${existing.id}/regenerate-api-token`,
    );
    return { id: existing.id, token: renewed.api_token };
  }
  const made = await api<{ id: number; api_token: string }>('POST', PROGRAMS, {
    name: 'Leaf & Kettle',
    slug: SLUG,
    commission: COMMISSION,
    ...placeOf(shopUrl),
  });
  await api('POST', `${PROGRAMS}/${made.id}/go-live`);
  return { id: made.id, token: made.api_token };
}

function placeOf(shopUrl: string) {
  return { site_url: shopUrl, allowed_origins: [shopUrl] };
}

async function signIn(baseUrl: string, owner: Owner): Promise<string> {
  const response = await fetch(`${baseUrl}/api/auth/login`, requestOf('POST', undefined, owner));
  if (response.status === 401) {
    throw new StartError(
      `The database has users already, and ${owner.email} does not sign in with the demo's password. ` +
        'Set ADMIN_EMAIL and ADMIN_PASSWORD to an owner of it, or another DATA_DIR for another demo.',
    );
  }
  const answer = (await response.json()) as { token?: string; error?: string };
  if (answer.token === undefined) throw new StartError(`Signing in failed: ${answer.error}`);
  return answer.token;
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
  const answer = (await response.json()) as { data?: unknown; error?: string };
  if (!response.ok) throw new StartError(`${request} failed: ${response.status} ${answer.error}`);
  // The API's documented shape.
  return answer.data as T;
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
