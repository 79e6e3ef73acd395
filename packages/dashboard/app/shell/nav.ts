import type { Permission } from '../session/session.tsx';
import type { IconName } from '../ui/icons.tsx';

export interface NavItem {
  readonly text: string;
  readonly icon: IconName;
  /** Path below the program's pages. */
  readonly path: string;
  /** Key after `g` that opens the page. */
  readonly key: string;
  /** Without this permission, the page is not offered. */
  readonly permission: Permission;
}

/** The pages of a program, in the order of the navigation. */
export const PROGRAM_PAGES: readonly NavItem[] = [
  { text: 'Overview', icon: 'overview', path: '', key: 'o', permission: 'performance:read' },
  { text: 'Why?', icon: 'why', path: '/why', key: 'w', permission: 'trace:read' },
  { text: 'Partners', icon: 'partners', path: '/partners', key: 'p', permission: 'partner:list' },
  { text: 'Links', icon: 'links', path: '/links', key: 'l', permission: 'link:list' },
  {
    text: 'Commissions',
    icon: 'commissions',
    path: '/commissions',
    key: 'c',
    permission: 'commission:list',
  },
  { text: 'Payouts', icon: 'payouts', path: '/payouts', key: 'u', permission: 'payout:list' },
  { text: 'Policies', icon: 'policies', path: '/policies', key: 'y', permission: 'policy:list' },
  { text: 'Settings', icon: 'settings', path: '/settings', key: 's', permission: 'program:read' },
];
