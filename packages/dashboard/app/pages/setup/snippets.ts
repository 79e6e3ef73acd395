/** A text to copy, with the place where it goes. */
interface Snippet {
  readonly title: string;
  readonly code: string;
}

export interface Guide {
  readonly text: string;
  readonly snippets: readonly Snippet[];
  /** What to know about this way, after the snippets. */
  readonly note?: string;
}

/** Where the snippets send events, and the program that they name. */
export interface Target {
  /** Address of the API, without a slash at the end. */
  readonly api: string;
  /** Address of the tracker's script. */
  readonly script: string;
  readonly programId: number;
}

/**
 * The addresses of this installation. Only an API below a path needs its address in the tag, because the
 * script uses its own host otherwise.
 */
export function targetOf(origin: string, apiPath: string, programId: number): Target {
  return { api: origin + apiPath, script: `${origin}/js/affkit.js`, programId };
}

/** Whether the address can be reached from this computer only. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.startsWith('127.') || hostname === '[::1]';
}

function scriptTag({ api, script, programId }: Target): string {
  const base = script.startsWith(`${api}/`) ? '' : ` data-base-url="${api}"`;
  return `<script async src="${script}"${base} data-program="${programId}"></script>`;
}

function tagManagerTag({ api, script, programId }: Target): string {
  return `<script>
  var tag = document.createElement('script');
  tag.src = '${script}';
  tag.dataset.baseUrl = '${api}';
  tag.dataset.program = '${programId}';
  document.head.append(tag);
</script>`;
}

const INSTALL: Snippet = { title: 'In a terminal', code: 'npm install @affkit/tracker' };

/** Ways to add the tracker to a site. */
export const SITE_GUIDES = {
  script: {
    text: 'Script tag',
    guide: (target: Target): Guide => ({
      text: 'Add this line to the <head> of every page that a partner may link to.',
      snippets: [{ title: 'HTML', code: scriptTag(target) }],
    }),
  },
  module: {
    text: 'npm module',
    guide: ({ api, programId }: Target): Guide => ({
      text: 'Create the tracker once, where your pages start.',
      snippets: [
        INSTALL,
        {
          title: 'TypeScript or JavaScript',
          code: `import { createTracker } from '@affkit/tracker';

export const tracker = createTracker({
  baseUrl: '${api}',
  program: ${programId},
});`,
        },
      ],
    }),
  },
  react: {
    text: 'React',
    guide: ({ api, programId }: Target): Guide => ({
      text: 'Render the tracker once, in the root of your app. It shows nothing.',
      snippets: [
        INSTALL,
        {
          title: 'Root component',
          code: `import { AffkitTracker } from '@affkit/tracker/react';

export const Tracking = () => (
  <AffkitTracker baseUrl="${api}" program={${programId}} />
);`,
        },
      ],
      note: 'The tracker detects route changes of a single-page app by itself.',
    }),
  },
  next: {
    text: 'Next.js',
    guide: ({ api, programId }: Target): Guide => ({
      text: 'Render the tracker in the root layout. It shows nothing, and does nothing on the server.',
      snippets: [
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

// In the <body> of your root layout:
<Tracking />`,
        },
      ],
    }),
  },
  gtm: {
    text: 'Google Tag Manager',
    guide: (target: Target): Guide => ({
      text: 'Create a tag of the type Custom HTML with the trigger All Pages, then publish the container.',
      snippets: [{ title: 'Custom HTML', code: tagManagerTag(target) }],
      note: 'A late start loses no click: the tracker reads the landing address from the browser.',
    }),
  },
  wordpress: {
    text: 'WordPress',
    guide: (target: Target): Guide => ({
      text: 'Add this to functions.php of your child theme, or to a plugin of your own.',
      snippets: [
        {
          title: 'functions.php',
          code: `add_action('wp_head', function () {
    echo '${scriptTag(target)}';
});`,
        },
      ],
      note: 'A plugin that adds code to the header works too: give it only the script tag.',
    }),
  },
  shopify: {
    text: 'Shopify theme',
    guide: (target: Target): Guide => ({
      text: 'In Online Store, Themes, open Edit code and add this line to layout/theme.liquid, before </head>.',
      snippets: [{ title: 'layout/theme.liquid', code: scriptTag(target) }],
      note: 'Shopify’s checkout does not load the theme, so report sales from your server.',
    }),
  },
} as const;

export type SiteGuide = keyof typeof SITE_GUIDES;

/** Ways to report sign-ups, sales and refunds. */
export const SERVER_GUIDES = {
  node: {
    text: 'Node.js',
    guide: ({ api }: Target): Guide => ({
      text: 'The SDK retries failed calls, and never records a payment twice.',
      snippets: [
        { title: 'In a terminal', code: 'npm install @affkit/node' },
        { title: 'Environment', code: `AFFKIT_BASE_URL=${api}\nAFFKIT_TOKEN=aff_…` },
        {
          title: 'At the start',
          code: `import { Affkit } from '@affkit/node';

// Reads AFFKIT_TOKEN and AFFKIT_BASE_URL.
const affkit = new Affkit();`,
        },
        {
          title: 'When a visitor signs up',
          code: `// Undefined for visitors whom no partner sent.
const clickId = request.cookies.service_click_id;
await affkit.lead({
  click_id: clickId,
  customer_key: user.id,
  email: user.email,
});`,
        },
        {
          title: 'When a payment has completed',
          code: `await affkit.sale({
  transaction_id: payment.id,
  amount_cents: 1999,
  currency: 'USD',
  customer_key: user.id,
});`,
        },
        {
          title: 'When you give money back',
          code: `await affkit.refund({
  transaction_id: payment.id,
  refund_id: refund.id,
  refund_amount_cents: 500,
});`,
        },
      ],
    }),
  },
  http: {
    text: 'Any language',
    guide: ({ api }: Target): Guide => ({
      text: 'Send these requests from your server. The click id is the value of the cookie service_click_id.',
      snippets: [
        { title: 'Tracking token', code: 'AFFKIT_TOKEN=aff_…' },
        {
          title: 'When a visitor signs up',
          code: curl(`${api}/api/v1/track/lead`, { click_id: 'clk_…', customer_key: 'user-1' }),
        },
        {
          title: 'When a payment has completed',
          code: curl(`${api}/api/v1/track/sale`, {
            transaction_id: 'order-1',
            amount_cents: 1999,
            currency: 'USD',
            customer_key: 'user-1',
          }),
        },
        {
          title: 'When you give money back',
          code: curl(`${api}/api/v1/track/refund`, {
            transaction_id: 'order-1',
            refund_id: 'refund-1',
            refund_amount_cents: 500,
          }),
        },
      ],
      note: 'Amounts are integers in the smallest unit of the currency. A repeated sale is answered 409, which is a success.',
    }),
  },
  stripe: {
    text: 'Stripe',
    guide: ({ programId }: Target): Guide => ({
      text: 'Stripe reports payments, renewals and refunds by webhook. Set the metadata on each checkout session, and again on the subscription, so that renewals carry it.',
      snippets: [
        {
          title: 'Checkout session',
          code: `const metadata = {
  program_id: '${programId}',
  // The customer_key of the sign-up.
  service_customer_key: user.id,
  // From the cookie.
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
          title: 'Events to select at Stripe',
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
      note: 'Sign-ups still come from your server, with the Node SDK or a plain request.',
    }),
  },
} as const;

export type ServerGuide = keyof typeof SERVER_GUIDES;

function curl(url: string, body: Readonly<Record<string, string | number>>): string {
  return `curl -s ${url} \\
  -H 'content-type: application/json' \\
  -H "authorization: Bearer $AFFKIT_TOKEN" \\
  -d '${JSON.stringify(body, null, 2)}'`;
}
