import { useMemo } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal.tsx';
import type { NavPage, NavSection } from '../shell/nav.ts';
import type { Enrollment } from './enrollment.ts';

/** The pages of the partner, in the order of the navigation. The first four belong to a program. */
const PROGRAM_PAGES: readonly NavPage[] = [
  { text: common.overview, icon: 'overview', path: '', key: 'o', isExact: true },
  { text: common.links, icon: 'links', path: '/links', key: 'l' },
  { text: messages.earnings, icon: 'commissions', path: '/earnings', key: 'e' },
  { text: common.payouts, icon: 'payouts', path: '/payouts', key: 'u' },
];

const PARTNER_PAGES: readonly NavPage[] = [
  { text: common.notifications, icon: 'bell', path: '/partner/notifications', key: 'n' },
  { text: messages.payoutDetails, icon: 'processor', path: '/partner/payout-details', key: 'd' },
];

/** The pages of the program and of the user. Without a program, only the pages of the user. */
export function usePortalSections(enrollment: Enrollment | null): readonly NavSection[] {
  return useMemo(() => {
    const pages = enrollment
      ? PROGRAM_PAGES.map((page) => ({ ...page, path: enrollment.page + page.path }))
      : [];
    return [
      { label: common.program, pages },
      { label: messages.you, title: messages.you, pages: PARTNER_PAGES },
    ].filter((section) => section.pages.length > 0);
  }, [enrollment]);
}
