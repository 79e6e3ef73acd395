import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../packages/core/test/support/listen.ts';
import { makeTempFolder } from '../../../packages/core/test/support/make-temp-folder.ts';
import { createShop } from './shop.ts';
import { ShopStore } from './store.ts';

/** Opens a shop with a fake Affkit client, in a browser that keeps its cookies and optionally has a click id. */
async function visit(clickId?: string) {
  const client = {
    lead: vi.fn(async (_lead: object) => ({})),
    sale: vi.fn(async (sale: object) => ({
      status: 'click_id' in sale ? ('recorded' as const) : ('unattributed' as const),
    })),
    refund: vi.fn(async (_refund: object) => ({})),
  };
  const folder = mkdtempSync(join(tmpdir(), 'affkit-shop-'));
  const shop = createShop({
    affkitUrl: 'http://127.0.0.1:9',
    affkit: client,
    reader: { readPanel: async () => ({ visitor: null, events: [], partners: [], hint: 'hint' }) },
    store: new ShopStore(join(folder, 'shop.json')),
  });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const base = await listen(shop);
  const cookies = new Map(clickId === undefined ? [] : [['service_click_id', clickId]]);
  const send = async (path: string, fields?: Record<string, string>): Promise<Response> => {
    const response = await fetch(base + path, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return location === null ? response : send(location);
  };
  return { send, client, cookies };
}

const VISITOR = { name: 'A <b>visitor</b>', email: 'visitor@example.com' };

/** Returns the URL of the refund form on an order page. */
const refundPath = (page: string) => /action="([^"]+\/refund)"/.exec(page)?.[1] ?? '';

test('pages load the tracker and allow no other external script', async () => {
  const { send } = await visit();
  const response = await send('/');
  expect(await response.text()).toContain(
    '<script src="http://127.0.0.1:9/js/affkit.js" data-base-url="http://127.0.0.1:9" defer></script>',
  );
  expect(response.headers.get('content-security-policy')).toContain(
    `script-src 'self' http://127.0.0.1:9; connect-src 'self' http://127.0.0.1:9`,
  );
});

test('shows what a partner earns for each product: a share, or a flat amount', async () => {
  const { send } = await visit();
  const page = await (await send('/')).text();
  expect(
    [...page.matchAll(/<h2>([^<]+)<|A partner earns ([^<]+)</g)].map(([, name, pay]) => name ?? pay),
  ).toEqual([
    'First-flush sampler',
    '20% ($4.00)',
    'Gongfu tea set',
    '20% ($9.60)',
    'Cast-iron kettle',
    '$15.00 flat',
  ]);
});

test('reports sign-up, purchase and refund with the click id and the same customer key', async () => {
  const { send, client } = await visit('clk_1');
  await send('/signup', VISITOR);
  const bought = await (await send('/buy', { product: 'sampler' })).text();
  await send(refundPath(bought), { amount: '5.00', reason: 'Stale' });

  const [lead] = client.lead.mock.calls[0] ?? [];
  const key = (lead as { customer_key: string } | undefined)?.customer_key;
  const orderId = /order_[\w-]+/.exec(bought)?.[0];
  expect(lead).toEqual({
    click_id: 'clk_1',
    customer_key: expect.stringMatching(/^user_/),
    email: VISITOR.email,
  });
  expect(client.sale.mock.calls).toEqual([
    [
      {
        transaction_id: orderId,
        amount_cents: 1999,
        currency: 'USD',
        customer_key: key,
        click_id: 'clk_1',
        product_id: 'sampler',
      },
    ],
  ]);
  expect(client.refund.mock.calls).toEqual([
    [
      {
        transaction_id: orderId,
        refund_id: `refund_${orderId}`,
        refund_amount_cents: 500,
        refund_reason: 'Stale',
      },
    ],
  ]);
});

test('a full refund is reported without an amount', async () => {
  const { send, client } = await visit('clk_1');
  await send('/signup', { ...VISITOR, product: 'kettle' });
  const bought = await (await send('/buy', { product: 'kettle' })).text();
  await send(refundPath(bought), { amount: '129.50' });
  expect(client.refund.mock.calls).toEqual([
    [{ transaction_id: expect.any(String), refund_id: expect.stringMatching(/^refund_order_/) }],
  ]);
});

test('a product selected before the sign-up is bought after the sign-up', async () => {
  const { send, client } = await visit('clk_1');
  expect(await (await send('/buy', { product: 'kettle' })).text()).toContain(
    'Sign up to buy the Cast-iron kettle',
  );
  await send('/signup', { ...VISITOR, product: 'kettle' });
  expect(client.sale).toHaveBeenCalledWith(expect.objectContaining({ product_id: 'kettle' }));
});

test('the sale of a customer without a click is unattributed, and its refund is not reported', async () => {
  const { send, client } = await visit();
  await send('/signup', VISITOR);
  const bought = await (await send('/buy', { product: 'sampler' })).text();
  expect(bought).toContain('No partner brought you here');
  const refunded = await (await send(refundPath(bought), { amount: '19.99' })).text();
  expect(refunded).toContain('Refunded.');
  expect([client.lead, client.sale, client.refund].map((call) => call.mock.calls.length)).toEqual([0, 1, 0]);
});

test('a customer who signed up before the first click becomes one lead with that click', async () => {
  const { send, client, cookies } = await visit();
  await send('/signup', VISITOR);
  await send('/buy', { product: 'sampler' });
  cookies.set('service_click_id', 'clk_1');
  await Promise.all([send('/panel'), send('/'), send('/orders')]);
  cookies.set('service_click_id', 'clk_2');
  await send('/buy', { product: 'kettle' });

  const lead = { click_id: 'clk_1', customer_key: expect.stringMatching(/^user_/), email: VISITOR.email };
  expect(client.lead.mock.calls).toEqual([[lead]]);
  const sale = { click_id: 'clk_1', product_id: 'kettle' };
  expect(client.sale.mock.calls.slice(1)).toEqual([[expect.objectContaining(sale)]]);
});

test('when Affkit rejects a sale, the shop keeps the order and shows the reason', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const { send, client } = await visit('clk_1');
  client.sale.mockRejectedValueOnce(new Error('no such customer'));
  await send('/signup', VISITOR);
  const bought = await (await send('/buy', { product: 'sampler' })).text();
  expect(bought).toContain('Affkit could not record the sale: no such customer');
  expect(await (await send('/orders')).text()).toContain('$19.99');
  vi.restoreAllMocks();
});

test.each(['0', '20.00', '1.005', 'all'])('a refund of %s is rejected', async (amount) => {
  const { send, client } = await visit('clk_1');
  await send('/signup', VISITOR);
  const bought = await (await send('/buy', { product: 'sampler' })).text();
  expect(await (await send(refundPath(bought), { amount })).text()).toContain('from $0.01 to $19.99');
  expect(client.refund).not.toHaveBeenCalled();
});

test('an order can be refunded only once', async () => {
  const { send, client } = await visit('clk_1');
  await send('/signup', VISITOR);
  const path = refundPath(await (await send('/buy', { product: 'sampler' })).text());
  await send(path, { amount: '5.00' });
  expect(await (await send(path, { amount: '5.00' })).text()).toContain('already refunded');
  expect(client.refund).toHaveBeenCalledOnce();
});

test('customers cannot see the orders of others', async () => {
  const { send } = await visit();
  await send('/signup', VISITOR);
  const path = refundPath(await (await send('/buy', { product: 'sampler' })).text()).replace('/refund', '');
  expect((await send(path)).status).toBe(200);
  await send('/start-over', {});
  expect((await send(path)).status).toBe(404);
  expect((await send(`${path}/refund`, { amount: '1' })).status).toBe(404);
});

test('escapes the input of visitors', async () => {
  const { send } = await visit();
  const page = await (await send('/signup', VISITOR)).text();
  expect(page).toContain('A &lt;b&gt;visitor&lt;/b&gt;');
});

test('accounts and orders survive a restart of the shop', () => {
  const folder = makeTempFolder();
  const file = join(folder, 'shop.json');
  const before = new ShopStore(file);
  const account = before.addAccount({ ...VISITOR, clickId: null });
  const order = before.addOrder(account, { productId: 'kettle', amountCents: 100 });
  before.updateOrder(order, { refundedCents: 40, affiliateStatus: 'recorded' });
  const after = new ShopStore(file);
  expect(after.findAccount(account.session)).toEqual(account);
  expect(after.listOrders(account)).toEqual([{ ...order, refundedCents: 40, affiliateStatus: 'recorded' }]);
});

test.each([
  [{ name: ' ', email: 'a@shop.example' }, 'Enter your name.'],
  [{ name: 'Ann', email: 'ann' }, 'Enter an email address, for example you@example.com.'],
])('a rejected sign-up with %j shows the reason, and the form keeps the input', async (fields, problem) => {
  const { send } = await visit();
  const response = await send('/signup', fields);
  const page = await response.text();
  expect([response.status, page.includes(problem)]).toEqual([400, true]);
  expect(page).toContain(`value="${fields.email}"`);
});
