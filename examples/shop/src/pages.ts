import { describeCommission, findProduct, PRODUCTS } from './catalog.ts';
import { type Html, html } from './html.ts';
import { formatMoney } from './money.ts';
import type { Account, Order } from './store.ts';

/** The data that every page needs in addition to its content. */
export interface Frame {
  /** The URL of the Affkit server, which serves the tracker and receives its clicks. */
  readonly affkitUrl: string;
  readonly account: Account | undefined;
}

/** A complete page: the shop with the live panel next to it. */
function page({ affkitUrl, account }: Frame, title: string, content: Html): string {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Leaf &amp; Kettle</title>
<link rel="icon" href="/leaf.svg">
<link rel="stylesheet" href="/shop.css">
<link rel="stylesheet" href="/panel.css">
<script src="${affkitUrl}/js/affkit.js" data-base-url="${affkitUrl}" defer></script>
<script src="/panel.js" defer></script>
</head>
<body>
<div class="shop">
<header>
<a class="brand" href="/"><img src="/leaf.svg" alt="" width="28" height="28">Leaf &amp; Kettle</a>
<nav>${account ? html`<a href="/orders">Orders</a><span title="${account.name}">${account.name}</span>` : html`<a href="/signup">Sign up</a>`}</nav>
</header>
<main>
${content}
</main>
<footer>This is a demo shop. Nothing is sold or charged.</footer>
</div>
<aside class="panel" id="panel" aria-label="What Affkit sees"></aside>
</body>
</html>
`;
  return document.text;
}

export function landingPage(frame: Frame): string {
  return page(
    frame,
    'Tea, unhurried',
    html`<section class="hero">
<h1>Tea, unhurried.</h1>
<p>Small harvests and the few good things you need to brew them.</p>
</section>
<ul class="products">${PRODUCTS.map(
      (product) => html`
<li>
<img src="/${product.id}.svg" alt="" width="320" height="220">
<h2>${product.name}</h2>
<p>${product.pitch}</p>
<p class="commission">A partner earns ${describeCommission(product)}</p>
<form method="post" action="/buy">
<input type="hidden" name="product" value="${product.id}">
<span class="price">${formatMoney(product.priceCents)}</span>
<button>Buy</button>
</form>
</li>`,
    )}
</ul>`,
  );
}

/** The values of a sign-up form that the shop has rejected, and the reason. */
interface RejectedSignup {
  readonly name: string;
  readonly email: string;
  readonly problem: string;
}

/**
 * @param product id of the product that the visitor wants to buy after signing up, or an empty string
 */
export function signupPage(frame: Frame, product: string, rejected?: RejectedSignup): string {
  const wanted = findProduct(product);
  return page(
    frame,
    'Sign up',
    html`<section class="card">
<h1>Sign up</h1>
<p>${wanted ? `Sign up to buy the ${wanted.name}.` : 'All we need is your name and email address.'}</p>
${rejected ? html`<p class="problem" role="alert">${rejected.problem}</p>` : null}
<form method="post" action="/signup" novalidate>
<input type="hidden" name="product" value="${wanted?.id ?? ''}">
<label>Name<input name="name" autocomplete="off" required maxlength="80" value="${rejected?.name ?? ''}"></label>
<label>Email<input name="email" type="email" autocomplete="off" required maxlength="200" value="${rejected?.email ?? ''}"></label>
<button>Sign up</button>
</form>
</section>`,
  );
}

export function ordersPage(frame: Frame, orders: readonly Order[]): string {
  const rows = orders.map(
    (order) => html`
<li><a href="/orders/${order.id}"><span>${findProduct(order.productId)?.name ?? order.productId}</span>
<span>${statusOf(order)}</span><span class="price">${formatMoney(order.amountCents)}</span></a></li>`,
  );
  return page(
    frame,
    'Orders',
    html`<section class="card">
<h1>Your orders</h1>
${rows.length === 0 ? html`<p>No orders yet. <a href="/">Browse the shop.</a></p>` : html`<ul class="orders">${rows}</ul>`}
</section>`,
  );
}

/** @param notice an error of Affkit or of the refund form to show, if any */
export function orderPage(frame: Frame, order: Order, notice: string | null): string {
  const name = findProduct(order.productId)?.name ?? order.productId;
  return page(
    frame,
    'Your order',
    html`<section class="card">
<h1>${order.refundedCents > 0 ? 'Refunded.' : 'Thank you!'}</h1>
${notice === null ? null : html`<p class="problem" role="alert">${notice}</p>`}
<dl>
<dt>Order</dt><dd><code>${order.id}</code></dd>
<dt>Item</dt><dd>${name}</dd>
<dt>Paid</dt><dd>${formatMoney(order.amountCents)}</dd>
${order.refundedCents > 0 ? html`<dt>Refunded</dt><dd>${formatMoney(order.refundedCents)}</dd>` : null}
</dl>
${order.affiliateStatus === 'unattributed' ? html`<p class="note">No partner brought you here, so Affkit recorded no sale and no commission.</p>` : null}
${order.refundedCents > 0 ? null : refundForm(order)}
<p><a href="/">Back to the shop</a></p>
</section>`,
  );
}

export function messagePage(frame: Frame, title: string, text: string): string {
  return page(frame, title, html`<section class="card"><h1>${title}</h1><p>${text}</p></section>`);
}

function refundForm(order: Order): Html {
  const amount = (order.amountCents / 100).toFixed(2);
  return html`<form method="post" action="/orders/${order.id}/refund" class="refund" novalidate>
<label>Refund, in dollars
<input name="amount" inputmode="decimal" value="${amount}" required>
</label>
<label>Reason<input name="reason" maxlength="200" value="Did not like it"></label>
<button class="quiet">Refund</button>
</form>`;
}

function statusOf({ amountCents, refundedCents }: Order): string {
  if (refundedCents === 0) return 'paid';
  return refundedCents === amountCents ? 'refunded' : `refunded ${formatMoney(refundedCents)}`;
}
