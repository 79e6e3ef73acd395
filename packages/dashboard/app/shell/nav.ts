import type { Permission } from '../session/session.tsx';
import type { IconName } from '../ui/icons.tsx';

export interface NavItem {
  readonly text: string;
  readonly icon: IconName;
  /** Path below the pages of the program or workspace. */
  readonly path: string;
  /** Key after `g` that opens the page. */
  readonly key: string;
  /** Without this permission, the page is not offered. */
  readonly permission: Permission;
}

/** The pages of a program, in the order of the navigation. */
export const PROGRAM_PAGES: readonly NavItem[] = [
  { text: 'Overview', icon: 'overview', path: '', key: 'o', permission: 'dashboard:view' },
  { text: 'Why?', icon: 'why', path: '/why', key: 'w', permission: 'trace:read' },
  { text: 'Events', icon: 'events', path: '/events', key: 'e', permission: 'tracking:list' },
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
  { text: 'Setup', icon: 'setup', path: '/setup', key: 's', permission: 'program:read' },
  { text: 'Settings', icon: 'settings', path: '/settings', key: 't', permission: 'program:read' },
];

/** The pages of the workspace that the program belongs to. */
export const WORKSPACE_PAGES: readonly NavItem[] = [
  { text: 'Members', icon: 'members', path: '/members', key: 'm', permission: 'member:write' },
  { text: 'API keys', icon: 'key', path: '/keys', key: 'k', permission: 'api-key:read' },
  {
    text: 'Payment processor',
    icon: 'processor',
    path: '/processor',
    key: 'r',
    permission: 'processor-connection:write',
  },
  { text: 'Audit log', icon: 'audit', path: '/audit', key: 'a', permission: 'audit-log:read' },
];

/** The pages of the signed-in user. Everyone may open them. */
export const USER_PAGES = [
  { text: 'Notifications', path: '/notifications' },
  { text: 'Account', path: '/account' },
] as const;
