/**
 * The groups of the sidebar with their pages. A value is the text of the link; `undefined` stands for the heading of
 * the page.
 */
export const NAVIGATION: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  Start: {
    'README.md': 'Introduction',
    'docs/concepts.md': undefined,
    'docs/guides/hosting.md': undefined,
    'docs/faq.md': 'Questions and answers',
    'docs/README.md': 'All pages, by task',
  },
  'Connect your app': {
    'docs/guides/tracker.md': undefined,
    'docs/guides/node-sdk.md': undefined,
    'docs/guides/stripe.md': undefined,
    'docs/guides/webhooks.md': undefined,
    'packages/testing/README.md': 'Test your integration',
    'examples/backend/README.md': 'Backend examples',
  },
  Frameworks: {
    'docs/guides/frameworks.md': 'Express, Next.js, Hono, …',
    'docs/guides/frameworks/adonisjs.md': undefined,
    'docs/guides/frameworks/elysia.md': undefined,
    'docs/guides/frameworks/fastify.md': undefined,
    'docs/guides/frameworks/nitro.md': undefined,
    'docs/guides/frameworks/nuxt.md': undefined,
    'docs/guides/frameworks/react-router.md': undefined,
    'docs/guides/frameworks/sveltekit.md': undefined,
  },
  'Run your program': {
    'docs/guides/dashboard.md': undefined,
    'docs/guides/partners.md': 'Partner portal',
    'docs/guides/money.md': 'Money, by example',
    'docs/guides/payouts.md': undefined,
    'docs/guides/email.md': undefined,
    'docs/troubleshooting.md': undefined,
  },
  'Switch to Affkit': {
    'docs/migration/rewardful.md': 'From Rewardful',
    'docs/migration/firstpromoter.md': 'From FirstPromoter',
    'docs/migration/tolt.md': 'From Tolt',
    'docs/migration/dub.md': 'From Dub Partners',
  },
  'Operate the server': {
    'docs/guides/operating.md': undefined,
    'docs/guides/containers.md': undefined,
    'docs/guides/command-line.md': undefined,
    'docs/guides/several-servers.md': undefined,
    'docs/guides/citus.md': undefined,
    'docs/security.md': undefined,
    'docs/permissions.md': undefined,
    'docs/scale.md': undefined,
  },
  Packages: {
    'packages/core/README.md': undefined,
    'packages/server/README.md': undefined,
    'packages/dashboard/README.md': undefined,
    'packages/tracker/README.md': undefined,
    'packages/node/README.md': undefined,
    'packages/protocol/README.md': undefined,
  },
  'About the project': {
    'docs/guarantees.md': undefined,
    'docs/performance.md': undefined,
    'docs/performance-history.md': undefined,
    'docs/browsers.md': undefined,
    'docs/architecture.md': undefined,
    'CONTRIBUTING.md': undefined,
    'SECURITY.md': 'Report a vulnerability',
    'CHANGELOG.md': undefined,
  },
};
