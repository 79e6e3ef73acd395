import * as messages from '#messages/setup.tsx';

/** Code to copy, and the place where it belongs. */
export interface Snippet {
  readonly title: string;
  readonly code: string;
}

/** The URLs and the program that the snippets contain. */
export interface SnippetTarget {
  /** The base URL of the API, without a trailing slash. */
  readonly api: string;
  /** The URL of the tracker script. */
  readonly script: string;
  readonly programId: number;
}

type SnippetsOf = (target: SnippetTarget) => readonly Snippet[];

/**
 * Returns the URLs of this installation. The script tag needs the URL of the API only if the API is mounted
 * below a path. Otherwise, the script uses its own host.
 */
export function snippetTargetOf(origin: string, apiPath: string, programId: number): SnippetTarget {
  return { api: origin + apiPath, script: `${origin}/js/affkit.js`, programId };
}

/** Whether the URL can be reached only from this computer. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]';
}

function scriptTag({ api, script, programId }: SnippetTarget): string {
  const base = script.startsWith(`${api}/`) ? '' : ` data-base-url="${api}"`;
  return `<script async src="${script}"${base} data-program="${programId}"></script>`;
}

function tagManagerTag({ api, script, programId }: SnippetTarget): string {
  return `<script>
  var tag = document.createElement('script');
  tag.src = '${script}';
  tag.dataset.baseUrl = '${api}';
  tag.dataset.program = '${programId}';
  document.head.append(tag);
</script>`;
}

const INSTALL: Snippet = { title: messages.inTerminal, code: 'npm install @affkit/tracker' };

/** The ways to add the tracker to a site. */
export const SITE_SNIPPETS = {
  script: (target) => [{ title: messages.inHtml, code: scriptTag(target) }],
  module: ({ api, programId }) => [
    INSTALL,
    {
      title: messages.inCode,
      code: `import { createTracker } from '@affkit/tracker';

export const tracker = createTracker({
  baseUrl: '${api}',
  program: ${programId},
});`,
    },
  ],
  react: ({ api, programId }) => [
    INSTALL,
    {
      title: messages.inRoot,
      code: `import { AffkitTracker } from '@affkit/tracker/react';

export const Tracking = () => (
  <AffkitTracker baseUrl="${api}" program={${programId}} />
);`,
    },
  ],
  next: ({ api, programId }) => [
    INSTALL,
    {
      title: 'app/tracking.tsx',
      code: `'use client';
import { AffkitTracker } from '@affkit/tracker/react';

export const Tracking = () => (
  <AffkitTracker baseUrl="${api}" program={${programId}} />
);`,
    },
    {
      title: 'app/layout.tsx',
      code: `import { Tracking } from './tracking';

// ${messages.comments.layout}
<Tracking />`,
    },
  ],
  gtm: (target) => [{ title: messages.inTag, code: tagManagerTag(target) }],
  wordpress: (target) => [
    {
      title: 'functions.php',
      code: `add_action('wp_head', function () {
    echo '${scriptTag(target)}';
});`,
    },
  ],
  shopify: (target) => [{ title: 'layout/theme.liquid', code: scriptTag(target) }],
} as const satisfies Readonly<Record<SiteGuide, SnippetsOf>>;

export type SiteGuide = keyof typeof messages.siteGuides;

/** The ways to report sign-ups, sales and refunds. */
export const SERVER_SNIPPETS = {
  node: ({ api }) => [
    { title: messages.inTerminal, code: 'npm install @affkit/node' },
    { title: messages.inEnvironment, code: `AFFKIT_BASE_URL=${api}\nAFFKIT_TOKEN=aff_…` },
    {
      title: messages.atStart,
      code: `import { Affkit } from '@affkit/node';

// ${messages.comments.environment}
const affkit = new Affkit();`,
    },
    {
      title: messages.onSignUp,
      code: `// ${messages.comments.clickId}
const clickId = request.cookies.service_click_id;
await affkit.lead({
  click_id: clickId,
  customer_key: user.id,
  email: user.email,
});`,
    },
    {
      title: messages.onPayment,
      code: `await affkit.sale({
  transaction_id: payment.id,
  amount_cents: 1999,
  currency: 'USD',
  customer_key: user.id,
});`,
    },
    {
      title: messages.onRefund,
      code: `await affkit.refund({
  transaction_id: payment.id,
  refund_id: refund.id,
  refund_amount_cents: 500,
});`,
    },
  ],
  http: ({ api }) => [
    { title: messages.token, code: 'AFFKIT_TOKEN=aff_…' },
    {
      title: messages.onSignUp,
      code: curl(`${api}/api/v1/track/lead`, { click_id: 'clk_…', customer_key: 'user-1' }),
    },
    {
      title: messages.onPayment,
      code: curl(`${api}/api/v1/track/sale`, {
        transaction_id: 'order-1',
        amount_cents: 1999,
        currency: 'USD',
        customer_key: 'user-1',
      }),
    },
    {
      title: messages.onRefund,
      code: curl(`${api}/api/v1/track/refund`, {
        transaction_id: 'order-1',
        refund_id: 'refund-1',
        refund_amount_cents: 500,
      }),
    },
  ],
  stripe: ({ programId }) => [
    {
      title: messages.inCheckout,
      code: `const metadata = {
  program_id: '${programId}',
  // ${messages.comments.customerKey}
  service_customer_key: user.id,
  // ${messages.comments.cookie}
  service_click_id: clickId,
};
await stripe.checkout.sessions.create({
  mode: 'subscription',
  line_items,
  success_url,
  metadata,
  subscription_data: { metadata },
});`,
    },
    {
      title: messages.stripeEvents,
      code: `checkout.session.completed
checkout.session.async_payment_succeeded
invoice.paid
invoice_payment.paid
charge.refunded
refund.created
refund.updated
refund.failed
charge.dispute.created
charge.dispute.funds_withdrawn
charge.dispute.funds_reinstated
charge.dispute.closed`,
    },
  ],
} as const satisfies Readonly<Record<ServerGuide, SnippetsOf>>;

export type ServerGuide = keyof typeof messages.serverGuides;

function curl(url: string, body: Readonly<Record<string, string | number>>): string {
  return `curl -s ${url} \\
  -H 'content-type: application/json' \\
  -H "authorization: Bearer $AFFKIT_TOKEN" \\
  -d '${JSON.stringify(body, null, 2)}'`;
}
