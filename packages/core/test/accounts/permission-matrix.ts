import { SCOPES, type Scope } from '@affkit/protocol';

/** Members of the workspace by role, the owner of another workspace, and a user who is only a partner. */
export const PEOPLE = ['owner', 'admin', 'member', 'viewer', 'outsider', 'partner'] as const;
type Person = (typeof PEOPLE)[number];

/** Keys that differ in one respect from an owner's key with all scopes. */
const RESTRICTED_KEYS = [
  'key of this program alone',
  'key out of program_scope',
  'key of another workspace',
  'key whose maker is a member now',
  'key whose maker is a viewer now',
] as const;
const INVALID = [
  'unknown token',
  'key expired',
  'key revoked',
  'key whose maker left',
  'session expired',
  'session ended',
] as const;

export type Credential =
  | 'none'
  | 'token of this program'
  | 'token of another program'
  | `key with ${Scope | '*'}`
  | (typeof RESTRICTED_KEYS)[number]
  | (typeof INVALID)[number]
  | `session of ${Person}`;

/** Every credential that routes are tested with. */
export const CREDENTIALS: readonly Credential[] = [
  'none',
  'token of this program',
  'token of another program',
  'key with *',
  ...SCOPES.map((scope) => `key with ${scope}` as const),
  ...RESTRICTED_KEYS,
  ...INVALID,
  ...PEOPLE.map((person) => `session of ${person}` as const),
];

/** What a route acts on. It decides the response to callers from other workspaces. */
type Reach =
  /** Nothing that belongs to a workspace. */
  | 'service'
  /** The workspace that the request names, or all workspaces of the caller. */
  | 'workspace'
  /** A program, or another row, that the path names. */
  | 'row';

interface Permission {
  readonly reach: Reach;
  /** `only`: a tracking token is required. `optional`: a tracking token or no credential. */
  readonly token?: 'only' | 'optional';
  /** Anyone may call, and credentials are ignored. */
  readonly isPublic?: true;
  /** No credential is required, but a given one must be a session. */
  readonly sessionIsOptional?: true;
  /** The scope that a management key requires. `itself`: any key, on itself. Absent: keys are rejected. */
  readonly key?: Scope | 'itself';
  /** The roles that may call, also as the role of a key's creator. Absent: every session may call. */
  readonly roles?: readonly Person[];
  /**
   * Whether the route creates a row in a workspace. Users without a workspace and keys with `program_scope`
   * may not.
   */
  readonly creates?: true;
}

const READERS = ['owner', 'admin', 'member'] as const;
const WRITERS = ['owner', 'admin'] as const;
const EVERY_MEMBER = ['owner', 'admin', 'member', 'viewer'] as const;

const ANYONE: Permission = { reach: 'service', isPublic: true };
const TOKEN: Permission = { reach: 'service', token: 'only' };
const TOKEN_OR_NONE: Permission = { reach: 'service', token: 'optional' };
const ANY_SESSION: Permission = { reach: 'service' };
const read = (key: Scope): Permission => ({ reach: 'row', key, roles: READERS });
const write = (key: Scope): Permission => ({ reach: 'row', key, roles: WRITERS });
const session = (roles: readonly Person[], reach: Reach = 'row'): Permission => ({ reach, roles });
/** Members may not call these unless they are partners too. */
const PARTNER = session(['partner']);

const P = '/api/advertiser/affiliate-programs';

/** Every route and who may call it. */
export const PERMISSIONS: Readonly<Record<string, Permission>> = {
  'POST /api/v1/track/click': ANYONE,
  'POST /api/v1/track/lead': TOKEN_OR_NONE,
  'POST /api/v1/track/sale': TOKEN,
  'POST /api/v1/track/refund': TOKEN,
  'POST /api/v1/track/exists': TOKEN,
  'POST /api/tracking/click': ANYONE,
  'POST /api/tracking/lead': TOKEN_OR_NONE,
  'POST /api/tracking/sale': TOKEN,
  'POST /api/tracking/refund': TOKEN,
  'GET /api/v1/cli/status': TOKEN,
  'POST /api/v1/cli/test-event': TOKEN,
  'POST /api/v1/webhooks/processor/:connectionId': ANYONE,
  'GET /api/v1/marketplace/programs': ANYONE,
  'GET /api/openapi.json': ANYONE,
  'GET /docs': ANYONE,

  'GET /api/tracking/status/:programId': session(EVERY_MEMBER),
  'GET /api/tracking/performance/:programId': session(EVERY_MEMBER),
  'GET /api/tracking/events/:programId': session(READERS),

  'POST /api/auth/login': ANYONE,
  'POST /api/auth/accept-invite': { reach: 'service', sessionIsOptional: true },
  'GET /api/auth/me': ANY_SESSION,
  'POST /api/auth/logout': ANY_SESSION,
  'POST /api/auth/password': ANY_SESSION,
  'GET /api/advertiser/workspaces': ANY_SESSION,
  'POST /api/advertiser/workspaces': ANY_SESSION,
  'GET /api/advertiser/members': session(['owner'], 'workspace'),
  'POST /api/advertiser/members': { ...session(['owner'], 'workspace'), creates: true },
  'PUT /api/advertiser/members/:id': session(['owner']),
  'DELETE /api/advertiser/members/:id': session(['owner']),
  'GET /api/advertiser/audit-log': session(['owner'], 'workspace'),

  [`GET ${P}`]: { reach: 'workspace', key: 'program:list', roles: READERS },
  [`POST ${P}`]: { reach: 'workspace', key: 'program:create', roles: WRITERS, creates: true },
  [`GET ${P}/:id`]: read('program:read'),
  [`PUT ${P}/:id`]: write('program:update'),
  [`DELETE ${P}/:id`]: write('program:delete'),
  [`POST ${P}/:id/go-live`]: write('program:go_live'),
  [`POST ${P}/:id/regenerate-api-token`]: write('program:regenerate-token'),
  [`GET ${P}/:id/partners`]: read('partner:list'),
  [`POST ${P}/:id/partners`]: write('partner:create'),
  [`PUT ${P}/:id/partners/:partnerId`]: write('partner:update'),
  [`GET ${P}/:id/links`]: read('link:list'),
  [`POST ${P}/:id/links`]: write('link:create'),
  [`PUT ${P}/:id/links/:linkId`]: write('link:update'),
  [`GET ${P}/:id/commission-policies`]: read('policy:list'),
  [`POST ${P}/:id/commission-policies`]: write('policy:create'),
  [`PUT ${P}/:id/commission-policies/:policyId`]: write('policy:update'),
  [`DELETE ${P}/:id/commission-policies/:policyId`]: write('policy:delete'),
  [`GET ${P}/:id/commissions`]: read('commission:list'),
  [`POST ${P}/:id/commissions/:commissionId/approve`]: write('commission:update'),
  [`POST ${P}/:id/commissions/:commissionId/reject`]: write('commission:update'),
  [`POST ${P}/:id/commissions/:commissionId/adjust`]: write('commission:update'),
  [`GET ${P}/:id/payouts`]: read('payout:list'),
  [`GET ${P}/:id/payouts.csv`]: read('payout:list'),
  [`POST ${P}/:id/payouts`]: write('payout:create'),
  [`POST ${P}/:id/payouts/:payoutId/mark-paid`]: write('payout:update'),
  [`POST ${P}/:id/payouts/:payoutId/cancel`]: write('payout:update'),
  [`GET ${P}/:id/trace`]: { reach: 'row', key: 'trace:read', roles: [...READERS, 'partner'] },

  'GET /api/advertiser/dashboard/summary': { reach: 'workspace', key: 'dashboard:view', roles: READERS },
  'GET /api/advertiser/api-keys': { reach: 'workspace', key: 'itself', roles: READERS },
  'POST /api/advertiser/api-keys': { ...session(WRITERS, 'workspace'), creates: true },
  'PUT /api/advertiser/api-keys/:id': { reach: 'row', key: 'itself', roles: WRITERS },
  'DELETE /api/advertiser/api-keys/:id': { reach: 'row', key: 'itself', roles: WRITERS },
  'GET /api/advertiser/processor-connections': session(WRITERS, 'workspace'),
  'POST /api/advertiser/processor-connections': { ...session(WRITERS, 'workspace'), creates: true },
  'PUT /api/advertiser/processor-connections/:id': session(WRITERS),
  'DELETE /api/advertiser/processor-connections/:id': session(WRITERS),
  'GET /api/advertiser/notifications': session(READERS, 'workspace'),
  'POST /api/advertiser/notifications/:id/read': session(READERS),

  'GET /api/partner/me': PARTNER,
  'GET /api/partner/links': PARTNER,
  'GET /api/partner/commissions': PARTNER,
  'GET /api/partner/payouts': PARTNER,
  'GET /api/partner/notifications': PARTNER,
  'POST /api/partner/notifications/:id/read': PARTNER,
};

/** `through`: the request passes the access check. It may still be rejected for other reasons. */
export type Outcome = 'through' | 401 | 403;

/**
 * The expected outcome of a request to a route.
 * @param named whether the request names the workspace; otherwise it acts on the caller's own
 */
export function expectedOutcome(permission: Permission, credential: Credential, named = true): Outcome {
  const { token, key } = permission;
  if (permission.isPublic) return 'through';
  if (credential === 'none') return token === 'optional' || permission.sessionIsOptional ? 'through' : 401;
  if ((INVALID as readonly string[]).includes(credential)) return 401;
  if (credential.startsWith('token of')) return token ? 'through' : 401;
  if (token) return 401;
  if (credential.startsWith('key'))
    return key === undefined ? 401 : keyOutcome(permission, credential, named);
  return sessionOutcome(permission, credential.slice('session of '.length), named);
}

function keyOutcome(permission: Permission, credential: Credential, named: boolean): Outcome {
  const { key, roles, reach, creates } = permission;
  if (key === 'itself') {
    const isForeign = reach === 'workspace' && named && credential === 'key of another workspace';
    return isForeign ? 403 : 'through';
  }
  const may = (isAllowed: boolean | undefined) => (isAllowed ? 'through' : 403);
  switch (credential) {
    case 'key of this program alone':
      return may(!creates);
    case 'key out of program_scope':
      return may(reach === 'workspace' && !creates);
    case 'key of another workspace':
      return may(reach === 'workspace' && !named);
    case 'key whose maker is a member now':
      return may(roles?.includes('member'));
    case 'key whose maker is a viewer now':
      return may(roles?.includes('viewer'));
    default:
      return may(credential === 'key with *' || credential === `key with ${key}`);
  }
}

function sessionOutcome({ reach, roles, creates }: Permission, person: string, named: boolean): Outcome {
  if (roles === undefined || (roles as readonly string[]).includes(person)) return 'through';
  const isElsewhere = reach === 'workspace' && !named;
  if (isElsewhere && person === 'outsider') return 'through';
  // A partner without a workspace gets empty lists.
  return isElsewhere && person === 'partner' && !creates ? 'through' : 403;
}
