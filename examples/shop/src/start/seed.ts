import { randomBytes } from 'node:crypto';
import { COMMISSION, PRODUCTS } from '../catalog.ts';
import { API_PROGRAMS, type Api, type Owner, readData, requestOf, signIn } from './api.ts';
import type { SeededDemo } from './demo-state.ts';
import { PORTAL_PARTNER, SHOP_PARTNERS } from './history/partners.ts';
import { MIN_SALE_CENTS } from './history/products.ts';

const SLUG = 'leaf-and-kettle';
const COMPANY = 'Leaf & Kettle Ltd';
/** The name that the server gives to the first workspace. */
const FIRST_WORKSPACE = 'My workspace';
const API_WORKSPACES = '/api/advertiser/workspaces';

const PANEL_KEY = {
  name: 'Live panel of the demo shop',
  scopes: ['partner:list', 'trace:read', 'program:update'],
} as const;

/** The public page of the program, where people apply. */
const PAGE = {
  published: true,
  description:
    'Recommend our teas and kettles to your readers. We review every application within a few days.\n\nThis program is part of the demo.',
  terms: 'Label your links as advertising. Do not bid on our name in search ads.',
  accent_color: '#0f6e4f',
  questions: [{ id: 'site', label: 'Where do you publish?', type: 'url', required: true }],
} as const;

/**
 * Creates the program of the demo and its partners through the API. Continues an earlier setup that was
 * interrupted.
 * @throws StartError if the owner cannot sign in
 */
export async function seedDemo(baseUrl: string, owner: Owner, shopUrl: string): Promise<SeededDemo> {
  const api = await signIn(baseUrl, owner);
  await nameWorkspace(api);
  const { id, token } = await ensureProgram(api, shopUrl);
  const program = `${API_PROGRAMS}/${id}`;
  const policies = await api<{ product_id: string | null }[]>('GET', `${program}/commission-policies`);
  for (const { id: productId, flatCommissionCents } of PRODUCTS) {
    if (flatCommissionCents === undefined || policies.some((policy) => policy.product_id === productId))
      continue;
    const policy = { type: 'flat', amount_cents: flatCommissionCents, product_id: productId };
    await api('POST', `${program}/commission-policies`, policy);
  }
  const partners = SHOP_PARTNERS.map(({ name, email, code }) => ({ name, email, code }));
  for (const partner of partners) {
    const enrolled = await api<{ invite_token?: string }>('POST', `${program}/partners`, partner);
    const isPortalPartner = partner.email === PORTAL_PARTNER.email;
    if (isPortalPartner && enrolled.invite_token !== undefined) {
      await acceptInvitation(baseUrl, enrolled.invite_token);
    }
  }
  const { key } = await api<{ key: string }>('POST', '/api/advertiser/api-keys', {
    ...PANEL_KEY,
    program_scope: [String(id)],
  });
  return { programId: id, token, key, shopUrl, partners: partners.map(({ name, code }) => ({ name, code })) };
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
  const path = `${API_PROGRAMS}/${demo.programId}`;
  const response = await fetch(baseUrl + path, requestOf('PUT', demo.key, shopLocation(shopUrl)));
  if (response.status === 401) return null;
  await readData(response, `PUT ${path}`);
  return { ...demo, shopUrl };
}

/** Creates an account for a partner. The password is not stored, because the demo prints a sign-in link instead. */
async function acceptInvitation(baseUrl: string, token: string): Promise<void> {
  const path = '/api/auth/accept-invite';
  const body = { token, password: randomBytes(24).toString('base64url') };
  await readData(await fetch(baseUrl + path, requestOf('POST', undefined, body)), `POST ${path}`);
}

/** Names the workspace, because receipts of partners show its name. Keeps a name that somebody has chosen. */
async function nameWorkspace(api: Api): Promise<void> {
  const workspaces = await api<{ id: number; name: string; role: string }[]>('GET', API_WORKSPACES);
  const unnamed = workspaces.find(({ name, role }) => name === FIRST_WORKSPACE && role === 'owner');
  if (unnamed) await api('PUT', `${API_WORKSPACES}/${unnamed.id}`, { name: COMPANY });
}

async function ensureProgram(api: Api, shopUrl: string): Promise<{ id: number; token: string }> {
  const programs = await api<{ id: number; slug: string }[]>('GET', `${API_PROGRAMS}?pageSize=100`);
  const existing = programs.find(({ slug }) => slug === SLUG);
  if (existing) {
    await api('PUT', `${API_PROGRAMS}/${existing.id}`, shopLocation(shopUrl));
    // The API returns a token only when the token is created, and the earlier run did not store it.
    const renewed = await api<{ api_token: string }>(
      'POST',
      `${API_PROGRAMS}/${existing.id}/regenerate-api-token`,
    );
    return { id: existing.id, token: renewed.api_token };
  }
  const created = await api<{ id: number; api_token: string }>('POST', API_PROGRAMS, {
    name: 'Leaf & Kettle (demo)',
    slug: SLUG,
    commission: COMMISSION,
    cookie_window_days: 30,
    hold_days: 14,
    min_sale_cents: MIN_SALE_CENTS,
    ...shopLocation(shopUrl),
  });
  await api('POST', `${API_PROGRAMS}/${created.id}/go-live`);
  await api('PUT', `${API_PROGRAMS}/${created.id}/page`, PAGE);
  return { id: created.id, token: created.api_token };
}

function shopLocation(shopUrl: string) {
  return { site_url: shopUrl, allowed_origins: [shopUrl] };
}
