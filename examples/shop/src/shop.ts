import { join } from 'node:path';
import express, { type Express, type Request, type Response } from 'express';
import type { AffkitReader } from './affkit-reader.ts';
import { findProduct } from './catalog.ts';
import { readCookies } from './cookies.ts';
import { formatMoney, parseMoney } from './money.ts';
import { type Frame, landingPage, messagePage, orderPage, ordersPage, signupPage } from './pages.ts';
import type { Account, AffiliateStatus, Order, ShopStore } from './store.ts';

/** The cookie in which the tracker stores the click id. */
const CLICK_COOKIE = 'service_click_id';
const SESSION_COOKIE = 'shop_session';

/** The methods of `@affkit/node` that the shop uses. */
interface AffkitClient {
  lead(lead: { click_id?: string; customer_key: string; email: string }): Promise<unknown>;
  sale(sale: {
    transaction_id: string;
    amount_cents: number;
    currency: string;
    customer_key: string;
    click_id?: string;
    product_id: string;
  }): Promise<{ readonly status: AffiliateStatus }>;
  refund(refund: {
    transaction_id: string;
    refund_id: string;
    refund_amount_cents?: number;
    refund_reason?: string;
  }): Promise<unknown>;
}

/** The dependencies of the shop. */
export interface ShopDependencies {
  readonly affkitUrl: string;
  readonly affkit: AffkitClient;
  readonly reader: Pick<AffkitReader, 'readPanel'>;
  readonly store: ShopStore;
}

/** Creates the shop: landing page, sign-up, orders, refunds, and the data of the live panel. */
export function createShop({ affkitUrl, affkit, reader, store }: ShopDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use(securityHeaders(affkitUrl));
  app.use(express.static(join(import.meta.dirname, '..', 'public')));
  app.use(express.urlencoded({ extended: false }));

  // A customer who signed up before opening a partner's link becomes a lead on the first request with a click id.
  app.use(async (request, _response, next) => {
    const account = accountOf(request);
    const clickId = clickOf(request);
    if (account?.clickId === null && clickId !== undefined) {
      await reportLead(store.setClickId(account, clickId), clickId);
    }
    next();
  });

  app.get('/', (request, response) => {
    response.send(landingPage(frameOf(request)));
  });

  app.get('/signup', (request, response) => {
    response.send(signupPage(frameOf(request), String(request.query['product'] ?? '')));
  });

  app.post('/signup', async (request, response) => {
    const { name = '', email = '', product = '' } = fieldsOf(request);
    const problem = problemOfSignup(name, email);
    if (problem !== null) {
      response.status(400).send(signupPage(frameOf(request), product, { name, email, problem }));
      return;
    }
    // Only visitors who came through a partner's link have the tracker's cookie, so only they are reported to
    // Affkit.
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
    if (order.refundedCents > 0) return showOrder(response, order, 'This order was already refunded.');
    if (cents === null || cents === 0 || cents > order.amountCents) {
      const limit = formatMoney(order.amountCents);
      return showOrder(response, order, `Enter an amount from $0.01 to ${limit}, for example 5.00.`);
    }
    store.updateOrder(order, { refundedCents: cents });
    const refund = {
      transaction_id: order.id,
      // The shop refunds an order only once, so the id of the order identifies the refund. With a payment processor,
      // use the processor's refund id.
      refund_id: `refund_${order.id}`,
      ...(cents < order.amountCents && { refund_amount_cents: cents }),
      ...(reason !== '' && { refund_reason: reason }),
    };
    const isUnattributed = order.affiliateStatus === 'unattributed';
    const notice = isUnattributed ? null : await reportToAffkit('refund', () => affkit.refund(refund));
    showOrder(response, order, notice);
  });

  app.get('/panel', async (request, response) => {
    const account = accountOf(request);
    const orders = account ? store.listOrders(account) : [];
    const visitor = {
      customerKey: account?.id,
      clickId: clickOf(request),
      unattributedOrders: orders.filter(({ affiliateStatus }) => affiliateStatus === 'unattributed'),
    };
    try {
      response.set('cache-control', 'no-store').json(await reader.readPanel(visitor));
    } catch (error) {
      response.status(502).json({ error: `Could not read from Affkit at ${affkitUrl}: ${messageOf(error)}` });
    }
  });

  app.post('/start-over', (_request, response) => {
    response.clearCookie(SESSION_COOKIE).clearCookie(CLICK_COOKIE).redirect(303, '/');
  });

  app.use(notFound);
  return app;

  async function reportLead(account: Account, clickId: string): Promise<void> {
    await reportToAffkit('lead', () =>
      affkit.lead({ click_id: clickId, customer_key: account.id, email: account.email }),
    );
  }

  async function buy(response: Response, request: Request, account: Account, productId: string) {
    const product = findProduct(productId);
    if (!product) return notFound(request, response);
    const order = store.addOrder(account, { productId: product.id, amountCents: product.priceCents });
    const sale = {
      transaction_id: order.id,
      amount_cents: order.amountCents,
      currency: 'USD',
      customer_key: account.id,
      product_id: product.id,
      ...(account.clickId !== null && { click_id: account.clickId }),
    };
    const notice = await reportToAffkit('sale', async () => {
      const { status } = await affkit.sale(sale);
      store.updateOrder(order, { affiliateStatus: status });
    });
    showOrder(response, order, notice);
  }

  function showOrder(response: Response, order: Order, notice: string | null): void {
    const query = notice === null ? '' : `?${new URLSearchParams({ notice })}`;
    response.redirect(303, `/orders/${order.id}${query}`);
  }

  function notFound(request: Request, response: Response): void {
    response.status(404).send(messagePage(frameOf(request), 'Page not found', 'This page does not exist.'));
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

/**
 * Reports an event to Affkit. A failure does not affect the order.
 * @returns null, or a message for the customer if the report failed
 */
async function reportToAffkit(what: string, call: () => Promise<unknown>): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    const message = `Affkit could not record the ${what}: ${messageOf(error)}`;
    console.error(message);
    return message;
  }
}

function problemOfSignup(name: string, email: string): string | null {
  if (name.trim() === '') return 'Enter your name.';
  if (!/^[^\s@]+@[^\s@]+$/.test(email.trim())) return 'Enter an email address, for example you@example.com.';
  return null;
}

function clickOf(request: Request): string | undefined {
  return readCookies(request).get(CLICK_COOKIE) || undefined;
}

function fieldsOf(request: Request): Partial<Record<string, string>> {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'));
}

/**
 * Returns middleware whose content security policy allows only scripts and requests of the shop and the tracker. The
 * tracker does not need `unsafe-inline`.
 */
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
