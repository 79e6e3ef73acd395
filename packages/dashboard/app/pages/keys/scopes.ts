import * as messages from '#messages/keys.ts';
import type { ApiKey, Scope } from '../../api/types.ts';

export type KeyScope = ApiKey['scopes'][number];

export interface ScopeGroup {
  readonly title: string;
  readonly scopes: readonly Scope[];
}

// The cast is safe because the keys of the record are exactly the scopes.
export const ALL_SCOPES: readonly Scope[] = Object.keys(messages.scopes) as Scope[];

const READ = /:(?:list|read|view)$/;

/** The scopes that only allow reading. */
export const READ_SCOPES: readonly Scope[] = ALL_SCOPES.filter((scope) => READ.test(scope));

export const SCOPE_GROUPS: readonly ScopeGroup[] = [...new Set(Object.values(messages.scopeGroups))].map(
  (title) => ({
    title,
    scopes: ALL_SCOPES.filter((scope) => messages.scopeGroups[scope.split(':')[0] ?? ''] === title),
  }),
);

/** Summarizes what a key may do: `Everything`, `Read only`, or groups such as `Partners, Payouts`. */
export function summarizeScopes(scopes: readonly KeyScope[]): string {
  const has = new Set<KeyScope>(scopes);
  if (has.has('*') || ALL_SCOPES.every((scope) => has.has(scope))) return messages.accesses.all;
  if (scopes.length === READ_SCOPES.length && READ_SCOPES.every((scope) => has.has(scope)))
    return messages.accesses.read;
  const groups = SCOPE_GROUPS.filter((group) => group.scopes.some((scope) => has.has(scope)));
  return messages.groupList(
    groups.map((group) =>
      group.scopes.every((scope) => !has.has(scope) || READ.test(scope))
        ? messages.readOnlyGroup(group.title)
        : group.title,
    ),
  );
}
