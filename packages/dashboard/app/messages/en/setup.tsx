import type { ComponentChildren, JSX } from 'preact';
import { formatCount } from '../../format/number.ts';

export const intro = 'Connect your site and your server, and watch the first events arrive.';
export const nothingRecorded = 'Nothing has been recorded yet.';
export const continueSteps = 'Continue step by step';

export const siteTitle = '1. Your site';
export const site = 'Your site';
export const siteAbout = 'Records the visits that come through partners’ links.';
export const loopbackWarning = (address: string): string =>
  `${address} works only on this computer. For your live site, open this page at the server’s public address.`;
export const embeddedNote =
  'If your app serves the tracker at another address, change the address in the snippet.';

export const serverTitle = '2. Your server';
export const server = 'Your server';
export const serverAbout = 'Reports sign-ups, sales, and refunds.';
export const webhookAddress = 'Webhook address';
export const stripeMissing =
  'Stripe is not connected to this workspace yet. An owner or an admin can connect it on the page Payment processor.';

export const token = 'Tracking token';
export const newToken = 'New token';
export const tokenShownOnce = 'Shown only once, when it is created.';
export const newTokenTitle = 'Create a new tracking token?';
export const newTokenWarning =
  'The current token stops working at once. Until your server uses the new token, the sign-ups, sales, and refunds that it reports are rejected.';
export const createToken = 'Create';
export const tokenLost = 'No reply arrived, so the token may have been replaced. Create another one.';
export const tokenTitle = 'The new tracking token';
export const tokenHint = 'Store the token on your server as AFFKIT_TOKEN now. It is not shown again.';

export const liveCheck = 'Live check';
export const checkInterval = 'Checking every 3 seconds';

/** The text for each state of a step in the API. */
export const states = {
  waiting: 'Waiting',
  tested: 'Tested',
  received: 'Received',
} as const;

export const stepState = (step: string, state: string): string => `${step}: ${state}`;
export const received = (count: number, time: ComponentChildren): JSX.Element => (
  <>
    {formatCount(count)} received, last on {time}
  </>
);
export const lastTest = (time: ComponentChildren): JSX.Element => <>Last test on {time}</>;
export const lastRejected = (
  reason: string,
  code: ComponentChildren,
  time: ComponentChildren,
): JSX.Element => (
  <>
    The latest call was rejected: {reason} ({code}, {time})
  </>
);
export const seeCall = 'See the call';

/** What is missing before the first event can arrive, for each reason in the API. */
export const missing: Readonly<Record<string, string>> = {
  no_approved_partner: 'No partner is approved yet. Invite a partner, or approve one.',
  no_active_link: 'No approved partner has an active link. Create a link, or activate one.',
  site_not_allowed: 'The program’s own site is not one of the allowed websites. Add it in Settings.',
  browser_leads_off:
    'This program accepts sign-ups only from your server. Report them with the tracking token.',
  no_click: 'No click has arrived yet. A partner earns only for customers who opened a partner’s link.',
  no_sale: 'No sale has arrived yet, so there is nothing to refund.',
  processor_not_connected:
    'No payment processor is connected. Connect one, or report refunds from your server.',
  no_webhook:
    'The payment processor has not reported anything yet. Check the address and the secret of its webhook.',
};

/** What the user can do in each step if nothing else is missing. */
export const nothingYet = {
  click: 'Add the tracker to your site, then open a partner’s link.',
  lead: 'Report each sign-up, from the page or from your server.',
  sale: 'Report each payment from your server, or connect a payment processor.',
  refund: 'Refund a payment to test this step.',
} as const;

export const sendTest = 'Send a test event';
export const testAbout =
  'Sends a click, a sign-up, and a sale in test mode. The statistics do not include them.';
export const testArrived = 'All three arrived.';
export const testFailed = (step: string, reason: string): string => `${step}: ${reason}`;

interface GuideTexts {
  readonly name: string;
  readonly text: string;
  /** A note about this way of integration, shown after the snippets. */
  readonly note?: string;
}

export const siteGuides = {
  script: {
    name: 'Script tag',
    text: 'Add this line to the <head> of every page that a partner may link to.',
  },
  module: {
    name: 'npm module',
    text: 'Create the tracker once, in the code that starts your pages.',
  },
  react: {
    name: 'React',
    text: 'Render the tracker once, in the root of your app. It shows nothing.',
    note: 'The tracker detects route changes of a single-page app by itself.',
  },
  next: {
    name: 'Next.js',
    text: 'Render the tracker in the root layout. It shows nothing, and runs only in the browser.',
  },
  gtm: {
    name: 'Google Tag Manager',
    text: 'Create a tag of the type Custom HTML with the trigger All Pages, then publish the container.',
    note: 'If the tracker starts late, no click is lost, because it reads the landing address from the browser.',
  },
  wordpress: {
    name: 'WordPress',
    text: 'Add this to functions.php of your child theme, or to a plugin of your own.',
    note: 'Or paste only the script tag into a plugin that adds code to the header.',
  },
  shopify: {
    name: 'Shopify theme',
    text: 'Open Online Store → Themes → Edit code. Add this line to layout/theme.liquid, before </head>.',
    note: 'Shopify’s checkout does not load the theme, so report sales from your server.',
  },
} as const satisfies Readonly<Record<string, GuideTexts>>;

export const serverGuides = {
  node: {
    name: 'Node.js',
    text: 'The SDK retries failed calls, and never records a payment twice.',
  },
  http: {
    name: 'Any language',
    text: 'Send these requests from your server. The click id is the value of the cookie service_click_id.',
    note: 'Amounts are integers in the smallest unit of the currency. If you send a sale twice, the second call gets a 409. Treat it as a success.',
  },
  stripe: {
    name: 'Stripe',
    text: 'Stripe reports payments, renewals, and refunds by webhook. Set the metadata on each checkout session. For subscriptions, set it on the subscription too, so that Affkit recognizes renewals.',
    note: 'Stripe does not report sign-ups. Report them from your server, with the Node SDK or a plain request.',
  },
} as const satisfies Readonly<Record<string, GuideTexts>>;

/** Titles of code snippets. */
export const inTerminal = 'In a terminal';
export const inHtml = 'HTML';
export const inCode = 'TypeScript or JavaScript';
export const inRoot = 'Root component';
export const inTag = 'Custom HTML';
export const inEnvironment = 'Environment';
export const atStart = 'At the start';
export const onSignUp = 'When a visitor signs up';
export const onPayment = 'When a payment has completed';
export const onRefund = 'When you give money back';
export const inCheckout = 'Checkout session';
export const stripeEvents = 'Events to select at Stripe';

/** Comments in code snippets. */
export const comments = {
  layout: 'In the <body> of your root layout:',
  clickId: 'Undefined for visitors whom no partner referred.',
  customerKey: 'The customer_key of the sign-up.',
  cookie: 'From the cookie.',
} as const;
