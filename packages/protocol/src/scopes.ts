/** All scopes of a management key, except `*`, which grants all of them. */
export const SCOPES = [
  'program:list',
  'program:read',
  'program:create',
  'program:update',
  'program:delete',
  'program:go_live',
  'program:regenerate-token',
  'partner:list',
  'partner:create',
  'partner:update',
  'link:list',
  'link:create',
  'link:update',
  'customer:list',
  'policy:list',
  'policy:create',
  'policy:update',
  'policy:delete',
  'commission:list',
  'commission:update',
  'payout:list',
  'payout:create',
  'payout:update',
  'trace:read',
  'dashboard:view',
] as const;

export type Scope = (typeof SCOPES)[number];

/** A scope of a key: a single permission, or `*` for all of them. */
export type KeyScope = Scope | '*';
