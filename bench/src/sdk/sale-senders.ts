import { Affkit } from '@affkit/node';

/** Sends one sale. Resolves when the response has been read. */
export type SendSale = (index: number) => Promise<unknown>;

/** The two compared ways to send a sale over the same transport. */
export interface SaleSenders {
  /** The transport without the SDK. */
  readonly bare: SendSale;
  readonly sdk: SendSale;
}

export type TransportName = 'fetch' | 'undici';

export const TOKEN = 'aff_bench0123456789bench0123456789';
const PATH = '/api/v1/track/sale';
const HEADERS = {
  authorization: `Bearer ${TOKEN}`,
  'content-type': 'application/json',
  accept: 'application/json',
};
const CONNECTIONS = 32;

/** Both senders send the same events over the same number of connections and read the same responses. */
export async function createSaleSenders(transport: TransportName, baseUrl: string): Promise<SaleSenders> {
  return transport === 'fetch' ? openFetch(baseUrl) : openUndici(baseUrl);
}

function openFetch(baseUrl: string): SaleSenders {
  const affkit = new Affkit({ token: TOKEN, baseUrl });
  return {
    sdk: (index) => affkit.sale(saleOf(index)),
    bare: async (index) => {
      const body = JSON.stringify(saleOf(index));
      const response = await fetch(baseUrl + PATH, { method: 'POST', headers: HEADERS, body });
      if (response.status !== 200) throw new Error(`Unexpected status ${response.status}`);
      return response.json();
    },
  };
}

/** undici is imported only when it is measured, because the package replaces the global `fetch`. */
async function openUndici(baseUrl: string): Promise<SaleSenders> {
  const [{ Agent, request }, { undiciTransport }] = await Promise.all([
    import('undici'),
    import('@affkit/node/undici'),
  ]);
  const transport = undiciTransport({ connections: CONNECTIONS });
  const affkit = new Affkit({ token: TOKEN, baseUrl, transport });
  const dispatcher = new Agent({ connections: CONNECTIONS });
  return {
    sdk: (index) => affkit.sale(saleOf(index)),
    bare: async (index) => {
      const payload = JSON.stringify(saleOf(index));
      const init = { method: 'POST' as const, headers: HEADERS, body: payload, dispatcher };
      const { statusCode, body } = await request(baseUrl + PATH, init);
      if (statusCode !== 200) throw new Error(`Unexpected status ${statusCode}`);
      return body.json();
    },
  };
}

/** Returns the sale with this number. There are 1,000 customers. */
export function saleOf(index: number) {
  return {
    transaction_id: `bench-${index}`,
    amount_cents: 1999,
    currency: 'USD',
    customer_key: `user-${index % 1000}`,
    product_id: 'pro-annual',
    line_items: { items: [{ sku: 'pro', quantity: 1, price_cents: 1999 }] },
  };
}

/** Sends `amount` sales with one concurrent call per connection. */
export async function sendSales(send: SendSale, amount: number): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < amount) await send(next++);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}
