import { useContext, useMemo } from 'preact/hooks';
import * as common from '#messages/common.ts';
import { type Permission, ProgramContext, useSession, WorkspaceContext } from '../session/session.tsx';
import type { IconName } from '../ui/icons.tsx';

/** A page in the navigation. */
export interface NavPage {
  readonly text: string;
  readonly icon: IconName;
  /** Path of the page below the mount point. */
  readonly path: string;
  /** The key that opens the page, after `g`. */
  readonly key: string;
  /** Whether paths below `path` belong to other pages. */
  readonly isExact?: boolean;
}

/** Pages under a common label. */
export interface NavSection {
  readonly label: string;
  /** Heading above the pages. */
  readonly title?: string;
  readonly pages: readonly NavPage[];
}

export interface SectionsProps {
  /** The pages that the user may open. */
  readonly sections: readonly NavSection[];
}

export interface NavItem extends Omit<NavPage, 'isExact'> {
  /** Path below the pages of the program or workspace. */
  readonly path: string;
  /** The page is shown only to users with this permission. */
  readonly permission: Permission;
}

/** The pages of a program, in navigation order. */
export const PROGRAM_PAGES: readonly NavItem[] = [
  { text: common.overview, icon: 'overview', path: '', key: 'o', permission: 'dashboard:view' },
  { text: common.why, icon: 'why', path: '/why', key: 'w', permission: 'trace:read' },
  { text: common.events, icon: 'events', path: '/events', key: 'e', permission: 'tracking:list' },
  { text: common.partners, icon: 'partners', path: '/partners', key: 'p', permission: 'partner:list' },
  { text: common.links, icon: 'links', path: '/links', key: 'l', permission: 'link:list' },
  {
    text: common.commissions,
    icon: 'commissions',
    path: '/commissions',
    key: 'c',
    permission: 'commission:list',
  },
  { text: common.payouts, icon: 'payouts', path: '/payouts', key: 'u', permission: 'payout:list' },
  { text: common.policies, icon: 'policies', path: '/policies', key: 'y', permission: 'policy:list' },
  { text: common.webhooks, icon: 'webhook', path: '/webhooks', key: 'h', permission: 'webhook:write' },
  { text: common.setup, icon: 'setup', path: '/setup', key: 's', permission: 'program:read' },
  { text: common.settings, icon: 'settings', path: '/settings', key: 't', permission: 'program:read' },
];

/** The pages of the workspace that the program belongs to. */
export const WORKSPACE_PAGES: readonly NavItem[] = [
  { text: common.members, icon: 'members', path: '/members', key: 'm', permission: 'member:write' },
  { text: common.apiKeys, icon: 'key', path: '/keys', key: 'k', permission: 'api-key:read' },
  {
    text: common.processor,
    icon: 'processor',
    path: '/processor',
    key: 'r',
    permission: 'processor-connection:write',
  },
  { text: common.emails, icon: 'mail', path: '/emails', key: 'i', permission: 'email:read' },
  { text: common.auditLog, icon: 'audit', path: '/audit', key: 'a', permission: 'audit-log:read' },
];

/** The pages that the user may open in the program and the workspace. */
export function useAdvertiserSections(): readonly NavSection[] {
  const program = useContext(ProgramContext);
  const workspace = useContext(WorkspaceContext);
  const { me } = useSession();
  const hasSeveral = me.workspaces.length > 1;
  return useMemo(
    () =>
      [
        { label: common.program, pages: navPagesOf(program, PROGRAM_PAGES) },
        {
          label: common.workspace,
          title: (hasSeveral && workspace?.name) || common.workspace,
          pages: navPagesOf(workspace, WORKSPACE_PAGES),
        },
      ].filter(({ pages }) => pages.length > 0),
    [program, workspace, hasSeveral],
  );
}

/** The pages that the user may open in the program or workspace, with their whole paths. */
function navPagesOf(
  view: { readonly page: string; readonly may: (permission: Permission) => boolean } | null,
  items: readonly NavItem[],
): NavPage[] {
  if (view === null) return [];
  return items
    .filter(({ permission }) => view.may(permission))
    .map(({ text, icon, path, key }) => ({ text, icon, key, path: view.page + path, isExact: path === '' }));
}
