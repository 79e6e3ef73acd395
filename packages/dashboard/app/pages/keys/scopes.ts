import type { ApiKey, Scope } from '../../api/types.ts';

export type KeyScope = ApiKey['scopes'][number];

export interface ScopeGroup {
  readonly title: string;
  readonly scopes: readonly Scope[];
}

/** What each scope allows, in words. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'program:list': 'List programs',
  'program:read': 'See a program and its setup',
  'program:create': 'Create programs',
  'program:update': 'Change settings and send test events',
  'program:delete': 'Delete programs',
  'program:go_live': 'Set programs live',
  'program:regenerate-token': 'Replace tracking tokens',
  'partner:list': 'See partners',
  'partner:create': 'Invite partners',
  'partner:update': 'Change, approve, and ban partners',
  'link:list': 'See links',
  'link:create': 'Create links',
  'link:update': 'Change and pause links',
  'customer:list': 'See customers',
  'policy:list': 'See policies',
  'policy:create': 'Create policies',
  'policy:update': 'Change policies',
  'policy:delete': 'Delete policies',
  'commission:list': 'See commissions',
  'commission:update': 'Approve, reject, and adjust commissions',
  'payout:list': 'See payouts',
  'payout:create': 'Create payouts',
  'payout:update': 'Mark payouts as paid, or cancel them',
  'trace:read': 'Look up why a partner was credited',
  'dashboard:view': 'See figures and charts',
};

const GROUP_TITLES: Readonly<Record<string, string>> = {
  program: 'Programs',
  partner: 'Partners',
  link: 'Links',
  customer: 'Customers',
  policy: 'Policies',
  commission: 'Commissions',
  payout: 'Payouts',
  trace: 'Reports',
  dashboard: 'Reports',
};

// The keys of the record are the scopes.
export const ALL_SCOPES: readonly Scope[] = Object.keys(SCOPE_TEXTS) as Scope[];

const READ = /:(?:list|read|view)$/;

/** The scopes that change nothing. */
export const READ_SCOPES: readonly Scope[] = ALL_SCOPES.filter((scope) => READ.test(scope));

export const SCOPE_GROUPS: readonly ScopeGroup[] = [...new Set(Object.values(GROUP_TITLES))].map((title) => ({
  title,
  scopes: ALL_SCOPES.filter((scope) => GROUP_TITLES[scope.split(':')[0] ?? ''] === title),
}));

/** What a key may do, in a few words: `Everything`, `Read only`, or the groups, as `Partners, Payouts`. */
export function summarizeScopes(scopes: readonly KeyScope[]): string {
  const has = new Set<KeyScope>(scopes);
  if (has.has('*') || ALL_SCOPES.every((scope) => has.has(scope))) return 'Everything';
  if (scopes.length === READ_SCOPES.length && READ_SCOPES.every((scope) => has.has(scope)))
    return 'Read only';
  return SCOPE_GROUPS.filter((group) => group.scopes.some((scope) => has.has(scope)))
    .map((group) =>
      group.scopes.every((scope) => !has.has(scope) || READ.test(scope))
        ? `${group.title} (read)`
        : group.title,
    )
    .join(', ');
}
