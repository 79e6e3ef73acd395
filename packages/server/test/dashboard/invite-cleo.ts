import { site } from './browser.ts';

export const CLEO = { name: 'Cleo', email: 'cleo@partner.example', code: 'cleo' } as const;

/**
 * Invites Cleo to the full program, and records a sale of 50 dollars for her link.
 * @returns the token of the invitation
 */
export async function inviteCleo(): Promise<string> {
  const path = `/api/advertiser/affiliate-programs/${site.full}/partners`;
  const { invite_token: token } = await site.call<{ invite_token: string }>('POST', path, CLEO);
  const track = (route: string, body: object) =>
    site.call<{ click_id: string }>('POST', `/api/v1/track/${route}`, body, site.fullToken);
  const { click_id } = await track('click', { affiliate_url: `https://shop.example/?aff=${CLEO.code}` });
  const order = { transaction_id: 'order-of-cleo', customer_key: 'customer-of-cleo', click_id };
  await track('sale', { ...order, amount_cents: 5_000, currency: 'USD' });
  await site.runJobs();
  return token;
}
