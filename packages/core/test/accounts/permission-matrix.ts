import { SCOPES, type Scope } from '@affkit/protocol';

/**
 * Roles in the workspace, `outsider` for the owner of another workspace, and `partner` for a user without a
 * role.
 */
const ROLES = ['owner', 'admin', 'member', 'viewer', 'outsider', 'partner'] as const;
type Role = (typeof ROLES)[number];

/** Keys that differ in one way from an unrestricted key of an owner. */
const RESTRICTED_KEYS = [
  'key limited to this program',
  'key limited to another program',
  'key of another workspace',
  'key whose creator is now a member',
  'key whose creator is now a viewer',
] as const;
const INVALID = [
  'unknown token',
  'key expired',
  'key revoked',
  'key whose creator left',
  'session expired',
  'session logged out',
  'unknown token beside a valid cookie',
  'key revoked beside a valid cookie',
] as const;

/** Cookies of a session that has ended, or that is not a browser session. */
const INVALID_COOKIES = ['cookie expired', 'cookie logged out', 'cookie with a bearer token'] as const;
/** Valid cookies of an owner, in requests that do not come from a page of the service. */
const FOREIGN_COOKIES = ['cookie from another origin', 'cookie without an origin'] as const;

export type Credential =
  | 'none'
  | 'token of this program'
  | 'token of another program'
  | `key with ${Scope | '*'}`
  | (typeof RESTRICTED_KEYS)[number]
  | (typeof INVALID)[number]
  | (typeof INVALID_COOKIES)[number]
  | (typeof FOREIGN_COOKIES)[number]
  | `session of ${Role}`
  | `cookie of ${Role}`;

/** All kinds of credentials that the tests use. */
export const CREDENTIALS: readonly Credential[] = [
  'none',
  'token of this program',
  'token of another program',
  'key with *',
  ...SCOPES.map((scope) => `key with ${scope}` as const),
  ...RESTRICTED_KEYS,
  ...INVALID,
  ...INVALID_COOKIES,
  ...FOREIGN_COOKIES,
  ...ROLES.map((role) => `session of ${role}` as const),
  ...ROLES.map((role) => `cookie of ${role}` as const),
];

/**
 * The kind of row that a route acts on. The kind determines the response to callers from outside of the
 * workspace.
 */
type Reach =
  /** No row, or a row that does not belong to a workspace, such as a session. */
  | 'service'
  /** The workspace in the request, or all workspaces of the caller. */
  | 'workspace'
  /** The program or other row in the path. */
  | 'row';

interface Permission {
  readonly reach: Reach;
  /** Tracking token: `only` means that no other credential is accepted, `optional` that no credential is required. */
  readonly token?: 'only' | 'optional';
  /** Whether the route ignores credentials. */
  readonly isPublic?: true;
  /** Whether the route requires no credential. If a request contains a credential, it must be a session. */
  readonly sessionIsOptional?: true;
  /**
   * Scope that a management key requires. `itself`: each key can act on itself. Absent: keys are rejected.
   */
  readonly key?: Scope | 'itself';
  /** Roles that have access, with a session or as the creator of a key. Absent: all sessions have access. */
  readonly roles?: readonly Role[];
  /**
   * Whether the route creates a row in a workspace. Such a route requires a workspace, and rejects keys with
   * `program_scope`.
   */
  readonly creates?: true;
  /** Whether callers from outside of the workspace get 403 instead of 404, as the API contract requires. */
  readonly showsExistence?: true;
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
const session = (roles: readonly Role[], reach: Reach = 'row'): Permission => ({ reach, roles });
/** Members have access only if they are also partners. */
const PARTNER = session(['partner'], 'service');

const PROGRAMS = '/api/advertiser/affiliate-programs';

/** The permissions of all routes. */
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
  'POST /api/v1/webhooks/payouts/paypal': ANYONE,
  'POST /api/v1/webhooks/payouts/stripe': ANYONE,
  'GET /api/v1/marketplace/programs': ANYONE,
  'GET /api/v1/programs/:slug': ANYONE,
  'POST /api/v1/programs/:slug/applications': ANYONE,
  'GET /api/v1/email/confirm-address': ANYONE,
  'POST /api/v1/email/confirm-address': ANYONE,
  'GET /api/v1/email/unsubscribe': ANYONE,
  'POST /api/v1/email/unsubscribe': ANYONE,
  'GET /p/:slug': ANYONE,
  'POST /p/:slug': ANYONE,
  'GET /api/openapi.json': ANYONE,
  'GET /docs': ANYONE,

  'GET /api/tracking/status/:programId': session(EVERY_MEMBER),
  'GET /api/tracking/performance/:programId': { ...session(EVERY_MEMBER), showsExistence: true },
  'GET /api/tracking/events/:programId': { ...session(READERS), showsExistence: true },

  'POST /api/auth/login': ANYONE,
  'POST /api/auth/password-reset': ANYONE,
  'POST /api/auth/password-reset/confirm': ANYONE,
  'POST /api/auth/invite': ANYONE,
  'POST /api/auth/accept-invite': { reach: 'service', sessionIsOptional: true },
  'GET /api/auth/me': ANY_SESSION,
  'PUT /api/auth/me': ANY_SESSION,
  'POST /api/auth/logout': ANY_SESSION,
  'POST /api/auth/password': ANY_SESSION,
  'GET /api/auth/sessions': ANY_SESSION,
  // The test ends a session of the caller. The id of another user's session gets a 404.
  'DELETE /api/auth/sessions/:id': ANY_SESSION,
  'DELETE /api/auth/sessions': ANY_SESSION,
  'GET /api/auth/email-preferences': ANY_SESSION,
  'PUT /api/auth/email-preferences': ANY_SESSION,
  'GET /api/advertiser/workspaces': ANY_SESSION,
  // Requires the owner of any workspace, unless the service is set to `WORKSPACE_CREATION=anyone`.
  'POST /api/advertiser/workspaces': session(['owner', 'outsider'], 'service'),
  'PUT /api/advertiser/workspaces/:id': session(['owner']),
  'GET /api/advertiser/members': session(['owner'], 'workspace'),
  'POST /api/advertiser/members': { ...session(['owner'], 'workspace'), creates: true },
  'PUT /api/advertiser/members/:id': session(['owner']),
  'POST /api/advertiser/members/:id/invite': session(['owner']),
  'DELETE /api/advertiser/members/:id': session(['owner']),
  'GET /api/advertiser/emails': session(WRITERS, 'workspace'),
  'POST /api/advertiser/emails/test': session(WRITERS),
  'GET /api/advertiser/audit-log': session(['owner'], 'workspace'),
  'GET /api/advertiser/audit-log.csv': session(['owner'], 'workspace'),

  [`GET ${PROGRAMS}`]: { reach: 'workspace', key: 'program:list', roles: EVERY_MEMBER },
  [`POST ${PROGRAMS}`]: { reach: 'workspace', key: 'program:create', roles: WRITERS, creates: true },
  [`GET ${PROGRAMS}/:id`]: { ...read('program:read'), roles: EVERY_MEMBER },
  [`PUT ${PROGRAMS}/:id`]: write('program:update'),
  [`DELETE ${PROGRAMS}/:id`]: write('program:delete'),
  [`GET ${PROGRAMS}/:id/page`]: write('program:update'),
  [`PUT ${PROGRAMS}/:id/page`]: write('program:update'),
  [`GET ${PROGRAMS}/:id/email-templates`]: session(WRITERS),
  [`GET ${PROGRAMS}/:id/email-templates/preview`]: session(WRITERS),
  [`POST ${PROGRAMS}/:id/go-live`]: write('program:go_live'),
  [`POST ${PROGRAMS}/:id/regenerate-api-token`]: write('program:regenerate-token'),
  [`GET ${PROGRAMS}/:id/partners`]: read('partner:list'),
  [`GET ${PROGRAMS}/:id/partners.csv`]: read('partner:list'),
  [`POST ${PROGRAMS}/:id/partners`]: write('partner:create'),
  [`POST ${PROGRAMS}/:id/partners/import`]: write('partner:create'),
  [`POST ${PROGRAMS}/:id/partners/bulk`]: write('partner:update'),
  [`GET ${PROGRAMS}/:id/partners/:partnerId`]: read('partner:list'),
  [`PUT ${PROGRAMS}/:id/partners/:partnerId`]: write('partner:update'),
  [`GET ${PROGRAMS}/:id/partners/:partnerId/payout-details`]: write('payout:create'),
  [`POST ${PROGRAMS}/:id/partners/:partnerId/invite`]: write('partner:create'),
  [`GET ${PROGRAMS}/:id/links`]: read('link:list'),
  [`GET ${PROGRAMS}/:id/links.csv`]: read('link:list'),
  [`POST ${PROGRAMS}/:id/links`]: write('link:create'),
  [`GET ${PROGRAMS}/:id/links/:linkId`]: read('link:list'),
  [`PUT ${PROGRAMS}/:id/links/:linkId`]: write('link:update'),
  [`GET ${PROGRAMS}/:id/customers`]: read('customer:list'),
  [`GET ${PROGRAMS}/:id/customers/:customerId`]: read('customer:list'),
  [`GET ${PROGRAMS}/:id/commission-policies`]: read('policy:list'),
  [`POST ${PROGRAMS}/:id/commission-policies`]: write('policy:create'),
  // The simulation reads policies and stores nothing.
  [`POST ${PROGRAMS}/:id/commission-policies/simulate`]: read('policy:list'),
  [`PUT ${PROGRAMS}/:id/commission-policies/:policyId`]: write('policy:update'),
  [`DELETE ${PROGRAMS}/:id/commission-policies/:policyId`]: write('policy:delete'),
  [`GET ${PROGRAMS}/:id/commissions`]: read('commission:list'),
  [`GET ${PROGRAMS}/:id/commissions.csv`]: read('commission:list'),
  [`POST ${PROGRAMS}/:id/commissions/bulk`]: write('commission:update'),
  [`GET ${PROGRAMS}/:id/commissions/totals`]: read('commission:list'),
  [`GET ${PROGRAMS}/:id/commissions/:commissionId`]: read('commission:list'),
  [`POST ${PROGRAMS}/:id/commissions/:commissionId/approve`]: write('commission:update'),
  [`POST ${PROGRAMS}/:id/commissions/:commissionId/reject`]: write('commission:update'),
  [`POST ${PROGRAMS}/:id/commissions/:commissionId/adjust`]: write('commission:update'),
  [`GET ${PROGRAMS}/:id/payouts`]: read('payout:list'),
  [`GET ${PROGRAMS}/:id/payouts.csv`]: read('payout:list'),
  [`POST ${PROGRAMS}/:id/payouts`]: write('payout:create'),
  [`POST ${PROGRAMS}/:id/payouts/preview`]: read('payout:list'),
  [`POST ${PROGRAMS}/:id/payouts/mark-paid`]: write('payout:update'),
  [`GET ${PROGRAMS}/:id/payouts/:payoutId`]: read('payout:list'),
  [`POST ${PROGRAMS}/:id/payouts/:payoutId/mark-paid`]: write('payout:update'),
  [`POST ${PROGRAMS}/:id/payouts/:payoutId/cancel`]: write('payout:update'),
  [`GET ${PROGRAMS}/:id/payout-batches`]: read('payout:list'),
  [`POST ${PROGRAMS}/:id/payout-batches`]: write('payout:create'),
  [`GET ${PROGRAMS}/:id/payout-batches/:batchId`]: read('payout:list'),
  [`GET ${PROGRAMS}/:id/payout-batches/:batchId/file`]: write('payout:create'),
  [`POST ${PROGRAMS}/:id/payout-batches/:batchId/cancel`]: write('payout:update'),
  [`POST ${PROGRAMS}/:id/payout-batches/:batchId/import`]: write('payout:update'),
  [`GET ${PROGRAMS}/:id/payout-settings`]: read('payout:list'),
  [`PUT ${PROGRAMS}/:id/payout-settings`]: write('payout:create'),
  [`GET ${PROGRAMS}/:id/payout-runs`]: read('payout:list'),
  [`POST ${PROGRAMS}/:id/payout-runs/:runId/confirm`]: session(['owner']),
  [`POST ${PROGRAMS}/:id/payout-runs/:runId/dismiss`]: session(['owner']),
  [`GET ${PROGRAMS}/:id/webhook-endpoints`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints`]: session(['owner', 'admin']),
  [`GET ${PROGRAMS}/:id/webhook-endpoints/:endpointId`]: session(['owner', 'admin']),
  [`PUT ${PROGRAMS}/:id/webhook-endpoints/:endpointId`]: session(['owner', 'admin']),
  [`DELETE ${PROGRAMS}/:id/webhook-endpoints/:endpointId`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints/:endpointId/rotate-secret`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints/:endpointId/pause`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints/:endpointId/resume`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints/:endpointId/test`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints/:endpointId/replay`]: session(['owner', 'admin']),
  [`GET ${PROGRAMS}/:id/webhook-endpoints/:endpointId/deliveries`]: session(['owner', 'admin']),
  [`GET ${PROGRAMS}/:id/webhook-endpoints/:endpointId/deliveries/:deliveryId`]: session(['owner', 'admin']),
  [`POST ${PROGRAMS}/:id/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay`]: session([
    'owner',
    'admin',
  ]),
  [`GET ${PROGRAMS}/:id/breakdown`]: { ...read('dashboard:view'), roles: EVERY_MEMBER },
  [`GET ${PROGRAMS}/:id/integration`]: { ...read('program:read'), roles: EVERY_MEMBER },
  [`POST ${PROGRAMS}/:id/test-event`]: write('program:update'),
  [`GET ${PROGRAMS}/:id/refusals`]: read('trace:read'),
  // Accepts only sessions, like the event list.
  [`GET ${PROGRAMS}/:programId/events.csv`]: session(READERS),
  [`GET ${PROGRAMS}/:id/trace`]: { reach: 'row', key: 'trace:read', roles: [...READERS, 'partner'] },
  [`GET ${PROGRAMS}/:id/series`]: { ...read('dashboard:view'), roles: EVERY_MEMBER },
  [`GET ${PROGRAMS}/:id/top`]: { ...read('dashboard:view'), roles: EVERY_MEMBER },

  'GET /api/advertiser/dashboard/summary': {
    reach: 'workspace',
    key: 'dashboard:view',
    roles: EVERY_MEMBER,
  },
  'GET /api/advertiser/api-keys': { reach: 'workspace', key: 'itself', roles: READERS },
  'POST /api/advertiser/api-keys': { ...session(WRITERS, 'workspace'), creates: true },
  'PUT /api/advertiser/api-keys/:id': { reach: 'row', key: 'itself', roles: WRITERS },
  'DELETE /api/advertiser/api-keys/:id': { reach: 'row', key: 'itself', roles: WRITERS },
  'GET /api/advertiser/processor-connections': session(WRITERS, 'workspace'),
  'POST /api/advertiser/processor-connections': { ...session(WRITERS, 'workspace'), creates: true },
  'PUT /api/advertiser/processor-connections/:id': session(WRITERS),
  'DELETE /api/advertiser/processor-connections/:id': session(WRITERS),
  'GET /api/advertiser/notifications': session(READERS, 'workspace'),
  'POST /api/advertiser/notifications/read-all': session(WRITERS, 'workspace'),
  'POST /api/advertiser/notifications/:id/read': session(WRITERS),

  'GET /api/partner/me': PARTNER,
  'GET /api/partner/balances': PARTNER,
  'GET /api/partner/series': PARTNER,
  'GET /api/partner/links': PARTNER,
  'GET /api/partner/links.csv': PARTNER,
  'POST /api/partner/links': PARTNER,
  'GET /api/partner/links/:linkId': PARTNER,
  'GET /api/partner/links/:linkId/series': PARTNER,
  'GET /api/partner/links/:linkId/sub-ids': PARTNER,
  'GET /api/partner/links/:linkId/sub-ids.csv': PARTNER,
  'GET /api/partner/commissions': PARTNER,
  'GET /api/partner/commissions.csv': PARTNER,
  'GET /api/partner/commissions/totals': PARTNER,
  'GET /api/partner/commissions/:commissionId': PARTNER,
  'GET /api/partner/payouts': PARTNER,
  'GET /api/partner/payouts.csv': PARTNER,
  'GET /api/partner/payout-details': PARTNER,
  'PUT /api/partner/payout-details': PARTNER,
  'DELETE /api/partner/payout-details': PARTNER,
  'GET /api/partner/payouts/:payoutId': PARTNER,
  'GET /api/partner/notifications': PARTNER,
  'POST /api/partner/notifications/read-all': PARTNER,
  'POST /api/partner/notifications/:id/read': PARTNER,
  'GET /api/partner/export': PARTNER,
};

/** The result of the access check. A request that is `allowed` may still fail for other reasons. */
export type Outcome = 'allowed' | 401 | 403 | 404;

/**
 * Returns the expected result of the access check.
 * @param route such as `GET /api/auth/me`
 * @param named whether the request contains the id of the workspace; a request without it acts on the caller's
 * own workspaces
 */
export function expectedOutcome(
  route: string,
  permission: Permission,
  credential: Credential,
  named = true,
): Outcome {
  const { token, key } = permission;
  if (permission.isPublic) return 'allowed';
  if (credential.startsWith('cookie')) return cookieOutcome(route, permission, credential, named);
  if (credential === 'none') return token === 'optional' || permission.sessionIsOptional ? 'allowed' : 401;
  if ((INVALID as readonly string[]).includes(credential)) return 401;
  if (credential.startsWith('token of')) return token ? 'allowed' : 401;
  if (token) return 401;
  if (credential.startsWith('key'))
    return key === undefined ? 401 : keyOutcome(permission, credential, named);
  return sessionOutcome(permission, credential.slice('session of '.length), named);
}

/**
 * Returns the expected result for a cookie. A cookie gives the same access as its session, with two exceptions.
 * Tracking routes ignore cookies. From outside of the service's own pages, only GET requests are accepted.
 */
function cookieOutcome(
  route: string,
  permission: Permission,
  credential: Credential,
  named: boolean,
): Outcome {
  if (permission.token !== undefined) return expectedOutcome(route, permission, 'none', named);
  if ((INVALID_COOKIES as readonly string[]).includes(credential)) {
    return permission.sessionIsOptional ? 'allowed' : 401;
  }
  const isForeign = (FOREIGN_COOKIES as readonly string[]).includes(credential);
  if (isForeign && !route.startsWith('GET ')) return 403;
  const role = isForeign ? 'owner' : credential.slice('cookie of '.length);
  return sessionOutcome(permission, role, named);
}

function keyOutcome(permission: Permission, credential: Credential, named: boolean): Outcome {
  const { key, roles, reach, creates } = permission;
  if (key === 'itself') {
    const isForeign = reach === 'workspace' && named && credential === 'key of another workspace';
    return isForeign ? 404 : 'allowed';
  }
  const allowIf = (isAllowed: boolean | undefined) => (isAllowed ? 'allowed' : 403);
  switch (credential) {
    case 'key limited to this program':
      return allowIf(!creates);
    case 'key limited to another program':
      return reach === 'row' ? 404 : allowIf(!creates);
    case 'key of another workspace':
      return reach === 'workspace' && !named ? 'allowed' : 404;
    case 'key whose creator is now a member':
      return allowIf(roles?.includes('member'));
    case 'key whose creator is now a viewer':
      return allowIf(roles?.includes('viewer'));
    default:
      return allowIf(credential === 'key with *' || credential === `key with ${key}`);
  }
}

function sessionOutcome(permission: Permission, role: string, named: boolean): Outcome {
  const { reach, roles, creates, showsExistence } = permission;
  if (roles === undefined || (roles as readonly string[]).includes(role)) return 'allowed';
  if (reach === 'service' || (role !== 'outsider' && role !== 'partner')) return 403;
  if (reach === 'row' || named) return showsExistence ? 403 : 404;
  // A partner who is not a member of any workspace gets empty lists.
  return role === 'outsider' || !creates ? 'allowed' : 403;
}
