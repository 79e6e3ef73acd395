import { readFileSync } from 'node:fs';
import type { Rolldown } from 'vite';
import { PORTAL_PARTNERS } from '../app/api/portal-requests.ts';
import { ME, PROGRAMS, PROGRAMS_QUERY } from '../app/api/session-requests.ts';
import type { PagePreloads } from '../src/files.ts';
import { filesOf } from './loaded-files.ts';

/** The modules of the pages that need no session, by path relative to the mount point. */
const PUBLIC_PAGES: Readonly<Record<string, string>> = {
  '/sign-in': 'sign-in/sign-in.tsx',
  '/invite': 'sign-in/accept-invite.tsx',
  '/forgot-password': 'reset/forgot-password.tsx',
  '/reset': 'reset/reset-password.tsx',
};

/** The modules of the pages of a partner, by path. `*` stands for a number. */
const PORTAL_PAGES: Readonly<Record<string, string>> = {
  '/partner': 'overview/overview.tsx',
  '/partner/*': 'overview/overview.tsx',
  '/partner/*/links': 'links/links.tsx',
  '/partner/*/links/*': 'links/link-detail.tsx',
  '/partner/*/earnings': 'earnings/earnings.tsx',
  '/partner/*/earnings/*': 'earnings/why.tsx',
  '/partner/*/payouts': 'payouts/payouts.tsx',
  '/partner/*/payouts/*': 'payouts/payout.tsx',
  '/partner/*/payouts/*/receipt': 'payouts/receipt.tsx',
  '/partner/notifications': 'notifications/notifications.tsx',
  '/partner/account': 'account/account.tsx',
  '/partner/payout-details': 'payout-details/payout-details.tsx',
};

/** The modules of the pages of an advertiser, by path. `*` stands for a number. */
const ADVERTISER_PAGES: Readonly<Record<string, string>> = {
  '/': 'overview/overview.tsx',
  '/p/*': 'overview/overview.tsx',
  '/p/*/why': 'why/why.tsx',
  '/p/*/commissions': 'commissions/commissions.tsx',
  '/p/*/payouts': 'payouts/payouts.tsx',
  '/p/*/payouts/files': 'payout-batches/payout-batches.tsx',
  '/p/*/policies': 'policies/policies.tsx',
  '/p/*/partners': 'partners/partners.tsx',
  '/p/*/partners/import': 'import/import-partners.tsx',
  '/p/*/partners/*': 'partner/partner.tsx',
  '/p/*/links': 'links/links.tsx',
  '/p/*/settings': 'settings/settings.tsx',
  '/p/*/page': 'program-page/program-page.tsx',
  '/p/*/events': 'events/events.tsx',
  '/p/*/webhooks': 'webhooks/webhooks.tsx',
  '/p/*/webhooks/*': 'webhook/webhook.tsx',
  '/p/*/setup': 'setup/setup.tsx',
  '/welcome': 'welcome/welcome.tsx',
  '/w/*/members': 'members/members.tsx',
  '/w/*/keys': 'keys/keys.tsx',
  '/w/*/audit': 'audit/audit.tsx',
  '/w/*/emails': 'emails/emails.tsx',
  '/w/*/processor': 'processor/processor.tsx',
  '/account': 'account/account.tsx',
  '/notifications': 'notifications/notifications.tsx',
};

/** The HTML of the frame that all pages with a session share. It contains no data. */
const SKELETON = readFileSync(new URL('../app/skeleton.html', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.trim())
  .join('');

/** The API requests that every page of an advertiser sends first. */
const SESSION_REQUESTS = [ME, `${PROGRAMS}?${new URLSearchParams(PROGRAMS_QUERY)}`];

/** The API requests that every page of a partner sends first. */
const PORTAL_REQUESTS = [ME, PORTAL_PARTNERS];

/**
 * Returns the files and requests that each page needs immediately. The server lists them in the HTML.
 * Otherwise, the browser would discover them one after another.
 * @throws Error when the build does not contain the module of a page
 */
export function preloadsOf(bundle: Rolldown.OutputBundle): Readonly<Record<string, PagePreloads>> {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const chunkOf = (module: string) => {
    const found = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/app/${module}`)));
    if (found === undefined) throw new Error(`page-preloads.ts names ${module}, which is not in the build`);
    return found;
  };
  // The HTML already lists the files of the entry.
  const entry = filesOf(
    chunks.filter(({ isEntry }) => isEntry),
    chunks,
  );
  const scriptsOf = (...modules: readonly string[]) =>
    [...filesOf(modules.map(chunkOf), chunks)].filter((file) => !entry.has(file));
  return Object.fromEntries([
    ...Object.entries(PUBLIC_PAGES).map(([path, module]): [string, PagePreloads] => [
      path,
      { scripts: scriptsOf(`pages/${module}`), requests: [] },
    ]),
    ...Object.entries(ADVERTISER_PAGES).map(([path, module]): [string, PagePreloads] => [
      path,
      {
        scripts: scriptsOf('shell/advertiser.tsx', `pages/${module}`),
        requests: SESSION_REQUESTS,
        skeleton: SKELETON,
      },
    ]),
    ...Object.entries(PORTAL_PAGES).map(([path, module]): [string, PagePreloads] => [
      path,
      {
        scripts: scriptsOf('portal/portal.tsx', `portal/${module}`),
        requests: PORTAL_REQUESTS,
        skeleton: SKELETON,
      },
    ]),
  ]);
}
