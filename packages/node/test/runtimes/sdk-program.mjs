import { Affkit, AffkitError } from '@affkit/node';
import { AffkitManagement, sendSales } from '@affkit/node/management';

const SALE = { transaction_id: 'order-1', amount_cents: 1999, customer_key: 'user-1' };
const SECRET = 'whsec_of_the_test';

/**
 * Uses the SDK like an advertiser's server, in plain JavaScript that runs in every runtime. The server at
 * `baseUrl` must answer the first request with 503, never answer `order-silent`, and redirect `order-redirect`.
 * It must also list two partners, one on each page, and export them as CSV.
 */
export async function useSdk(baseUrl) {
  const affkit = new Affkit({ token: 'aff_token', baseUrl, webhookSecret: SECRET, logLevel: 'off' });
  const recorded = await affkit.sale(SALE);
  const repeated = await affkit.sale(SALE);
  const silent = await codeOf(
    affkit.sale({ ...SALE, transaction_id: 'order-silent' }, { timeoutMs: 200, maxRetries: 0 }),
  );
  const aborted = await codeOf(affkit.sale(SALE, { signal: AbortSignal.abort() }));
  const redirected = await codeOf(affkit.sale({ ...SALE, transaction_id: 'order-redirect' }));

  const body = '{"id":"evt_1"}';
  const header = await sign(body);
  const request = (text) =>
    new Request('https://shop.test/', {
      method: 'POST',
      headers: { 'stripe-signature': header },
      body: text,
    });
  const management = new AffkitManagement({ apiKey: 'affk_key', baseUrl, programId: 1, logLevel: 'off' });
  const partners = await management.partners.list({ pageSize: 1 }).toArray();
  const stopped = new AbortController();
  const file = await management.partners.exportCsv({}, { signal: stopped.signal });
  const csv = await new Response(file).text();
  stopped.abort();
  const batch = [];
  for await (const { sale, error } of sendSales(affkit, [SALE, { ...SALE, amount_cents: -1 }])) {
    batch.push([sale.amount_cents, error?.code]);
  }
  return {
    partners: partners.map(({ id }) => id),
    csv,
    batch: Object.fromEntries(batch),
    foreign: await codeOf(management.programs.get(404, { maxRetries: 0 })),
    recorded: [recorded.status, recorded.attempts],
    repeated: repeated.status,
    silent,
    aborted,
    redirected,
    verified: await affkit.webhooks.verifyAsync(body, header),
    read: await affkit.webhooks.fromRequest(request(body)),
    forged: await codeOf(affkit.webhooks.fromRequest(request('{"id":"evt_2"}'))),
  };
}

async function codeOf(promise) {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof AffkitError) return error.code;
    throw error;
  }
}

/**
 * Signs with WebCrypto instead of the package, so that the test does not check the package against itself.
 */
async function sign(body) {
  const encoder = new TextEncoder();
  const seconds = Math.floor(Date.now() / 1000);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(SECRET), algorithm, false, ['sign']);
  const signed = await crypto.subtle.sign('HMAC', key, encoder.encode(`${seconds}.${body}`));
  const hex = [...new Uint8Array(signed)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `t=${seconds},v1=${hex}`;
}
