import { join } from 'node:path';
import express, { type Express, type Request, type Response } from 'express';
import type { AffkitReader } from './affkit-reader.ts';
import { findProduct } from './catalog.ts';
import { readCookies } from './cookies.ts';
import { parseMoney } from './money.ts';
import { type Frame, landingPage, messagePage, orderPage, ordersPage, signupPage } from './pages.ts';
import type { Account, Order, ShopStore } from './store.ts';

/** The cookie in which the tracker keeps the click. */
const CLICK_COOKIE = 'service_click_id';
const SESSION_COOKIE = 'shop_session';

/** What the shop tells Affkit: the part of `@affkit/node` that it uses. */
interface AffkitClient {
  lead(lead: { click_id?: string; customer_key: string; email: string }): Promise<unknown>;
  sale(sale: {
    transaction_id: string;
    amount_cents: number;
    currency: string;
    customer_key: string;
    click_id?: string;
    product_id: string;
  }): Promise<unknown>;
  refund(refund: {
    transaction_id: string;
    refund_amount_cents?: number;
    refund_reason?: string;
  }): Promise<unknown>;
}

export interface ShopParts {
  readonly affkitUrl: string;
  readonly affkit: AffkitClient;
  readonly reader: Pick<AffkitReader, 'readPanel'>;
  readonly store: ShopStore;
}

/** The shop: landing, sign-up, buying, refund; and what the panel beside its pages reads. */
export function createShop({ affkitUrl, affkit, reader, store }: ShopParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(securityHeaders(affkitUrl));
  app.use(express.static(join(import.meta.dirname, '..', 'public')));
  app.use(express.urlencoded({ extended: false }));

  // Who signed up first and opened a partner's link afterwards is a lead from then on.
  app.use(async (request, _response, next) => {
    const account = accountOf(request);
    const clickId = clickOf(request);
    if (account?.clickId === null && clickId !== undefined) {
      await reportLead(store.setClick(account, clickId), clickId);
    }
    next();
  });

  app.get('/', (request, response) => {
    response.send(landingPage(frameOf(request)));
  });

  app.get('/signup', (request, response) => {
    response.send(signupPage(frameOf(request), String(request.query['product'] ?? ''), null));
  });

  app.post('/signup', async (request, response) => {
    const { name = '', email = '', product = '' } = fieldsOf(request);
    if (name.trim() === '' || !email.includes('@')) {
      const problem = 'Please give a name and an e-mail address.';
      response.status(400).send(signupPage(frameOf(request), product, problem));
      return;
    }
    // Affkit hears only of those who came by a partner's link: the tracker has left them a cookie.
    const clickId = clickOf(request) ?? null;
    const account = store.addAccount({ name: name.trim(), email: email.trim(), clickId });
    response.cookie(SESSION_COOKIE, account.session, { httpOnly: true, sameSite: 'lax' });
    if (clickId !== null) await reportLead(account, clickId);
    if (findProduct(product)) await buy(response, request, account, product);
    else response.redirect(303, '/');
  });

  app.post('/buy', async (request, response) => {
    const { product = '' } = fieldsOf(request);
    const account = accountOf(request);
    if (account) await buy(response, request, account, product);
    else response.redirect(303, `/signup?${new URLSearchParams({ product })}`);
  });

  app.get('/orders', (request, response) => {
    const account = accountOf(request);
    if (account) response.send(ordersPage(frameOf(request), store.listOrders(account)));
    else response.redirect(303, '/signup');
  });

  app.get('/orders/:id', (request, response) => {
    const order = orderOf(request);
    const notice = typeof request.query['notice'] === 'string' ? request.query['notice'] : null;
    if (order) response.send(orderPage(frameOf(request), order, notice));
    else notFound(request, response);
  });

  app.post('/orders/:id/refund', async (request, response) => {
    const order = orderOf(request);
    if (!order) return notFound(request, response);
    const { amount = '', reason = '' } = fieldsOf(request);
    const cents = parseMoney(amount);
    if (order.refundedCents > 0) return showOrder(response, order, 'This order has been refunded already.');
    if (cents === null || cents === 0 || cents > order.amountCents) {
      return showOrder(response, order, 'A refund is more than nothing and at most what was paid.');
    }
    store.markRefunded(order, cents);
    const refund = {
      transaction_id: order.id,
      ...(cents < order.amountCents && { refund_amount_cents: cents }),
      ...(reason !== '' && { refund_reason: reason }),
    };
    showOrder(response, order, order.isTracked ? await report('refund', () => affkit.refund(refund)) : null);
  });

  app.get('/panel', async (request, response) => {
    const visitor = {
      customerKey: accountOf(request)?.id,
      clickId: clickOf(request),
    };
    try {
      response.set('cache-control', 'no-store').json(await reader.readPanel(visitor));
    } catch (error) {
      response.status(502).json({ error: `Affkit at ${affkitUrl} doesn’t answer: ${messageOf(error)}` });
    }
  });

  app.post('/start-over', (_request, response) => {
    response.clearCookie(SESSION_COOKIE).clearCookie(CLICK_COOKIE).redirect(303, '/');
  });

  app.use(notFound);
  return app;

  async function reportLead(account: Account, clickId: string): Promise<void> {
    await report('lead', () =>
      affkit.lead({ click_id: clickId, customer_key: account.id, email: account.email }),
    );
  }

  async function buy(response: Response, request: Request, account: Account, productId: string) {
    const product = findProduct(productId);
    if (!product) return notFound(request, response);
    const { clickId } = account;
    const order = store.addOrder(account, {
      productId: product.id,
      amountCents: product.priceCents,
      isTracked: clickId !== null,
    });
    const sale = {
      transaction_id: order.id,
      amount_cents: order.amountCents,
      currency: 'USD',
      customer_key: account.id,
      product_id: product.id,
    };
    const notice =
      clickId === null ? null : await report('sale', () => affkit.sale({ ...sale, click_id: clickId }));
    showOrder(response, order, notice);
  }

  function showOrder(response: Response, order: Order, notice: string | null): void {
    const query = notice === null ? '' : `?${new URLSearchParams({ notice })}`;
    response.redirect(303, `/orders/${order.id}${query}`);
  }

  function notFound(request: Request, response: Response): void {
    response.status(404).send(messagePage(frameOf(request), 'Not here', 'There is no such page.'));
  }

  function frameOf(request: Request): Frame {
    return { affkitUrl, account: accountOf(request) };
  }

  function accountOf(request: Request): Account | undefined {
    return store.findAccount(readCookies(request).get(SESSION_COOKIE));
  }

  function orderOf(request: Request): Order | undefined {
    const account = accountOf(request);
    return account && store.findOrder(account, request.params['id']);
  }
}

/** Tells Affkit something. What the customer did stands either way: the text says what Affkit had against it. */
async function report(what: string, call: () => Promise<unknown>): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    console.error(`${what} not tracked: ${messageOf(error)}`);
    return `Affkit did not take the ${what}: ${messageOf(error)}`;
  }
}

function clickOf(request: Request): string | undefined {
  return readCookies(request).get(CLICK_COOKIE) || undefined;
}

function fieldsOf(request: Request): Partial<Record<string, string>> {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'));
}

/** Nothing runs or is asked but what the shop and the tracker bring: the tracker needs no exception. */
function securityHeaders(affkitUrl: string) {
  const policy = [
    `default-src 'self'`,
    `script-src 'self' ${affkitUrl}`,
    `connect-src 'self' ${affkitUrl}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
  return (_request: Request, response: Response, next: () => void) => {
    response.set({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff' });
    next();
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
