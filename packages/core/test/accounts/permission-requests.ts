import type { Fixture } from './permission-fixture.ts';

interface Request {
  readonly target: string;
  readonly body?: unknown;
}

const COMMISSION = { type: 'percent', rate: 5 } as const;
const P = '/api/advertiser/affiliate-programs';

/**
 * Bodies of the routes whose handler reads the body before it checks access. All others are empty: access is
 * checked first, so a 400 means that the caller was allowed, and nothing changes that later requests need.
 */
const BODIES: Readonly<Record<string, (fixture: Fixture) => unknown>> = {
  'POST /api/v1/track/click': ({ code }) => ({ affiliate_url: `https://shop.example/?aff=${code}` }),
  'POST /api/tracking/click': ({ code }) => ({ affiliate_url: `https://shop.example/?aff=${code}` }),
  'POST /api/v1/cli/test-event': () => ({ type: 'chain' }),
  'POST /api/v1/track/exists': () => ({ transaction_ids: ['t1'] }),
  'POST /api/auth/accept-invite': () => ({ token: 'of-nobody', password: 'long enough for all' }),
  'POST /api/advertiser/members': (fixture) => ({
    name: 'Zoe',
    email: `${fixture.unique()}@shop.test`,
    role: 'viewer',
  }),
  [`POST ${P}`]: () => ({ name: 'New', site_url: 'https://new.example', commission: COMMISSION }),
  [`POST ${P}/:id/partners`]: (fixture) => ({ name: 'Zoe', email: `${fixture.unique()}@partner.test` }),
  [`POST ${P}/:id/links`]: ({ ids }) => ({ partner_id: ids.partner }),
  [`POST ${P}/:id/commission-policies`]: (fixture) => ({ ...COMMISSION, product_id: fixture.unique() }),
  [`PUT ${P}/:id/commission-policies/:policyId`]: () => COMMISSION,
  [`POST ${P}/:id/commissions/:commissionId/adjust`]: () => ({ amount_cents: 1, reason: 'kind' }),
  'POST /api/advertiser/api-keys': () => ({ name: 'k' }),
  'POST /api/advertiser/processor-connections': () => ({
    processor: 'stripe',
    account_id: 'acct_1',
    webhook_secret: 'whsec_1',
  }),
};

/** The row that a route's `:id` names. */
function rowId(route: string, { ids }: Fixture): number {
  if (route.includes('/members/')) return ids.member;
  if (route.includes('/partner/notifications/')) return ids.partnerNotification;
  if (route.includes('/notifications/')) return ids.notification;
  if (route.includes('/processor-connections/')) return ids.connection;
  return ids.program;
}

/** The request of a route for the rows of the fixture. */
export async function requestFor(
  route: string,
  fixture: Fixture,
  options: { named: boolean; ownKeyId: number | undefined },
): Promise<Request> {
  const { ids } = fixture;
  const [method = '', path = ''] = route.split(' ');
  const id = path.startsWith('/api/advertiser/api-keys/')
    ? (options.ownKeyId ?? (await fixture.addKey()).id)
    : rowId(route, fixture);
  const target = path
    .replace(':programId', String(ids.program))
    .replace(':partnerId', String(ids.partner))
    .replace(':linkId', String(ids.link))
    .replace(':policyId', String(ids.policy))
    .replace(':payoutId', String(ids.payout))
    .replace(':commissionId', String(ids.commission))
    .replace(':payoutId', String(ids.payout))
    .replace(':connectionId', String(ids.connection))
    .replace(':id', String(id));
  if (path.endsWith('/read') || !options.named) return { target, body: BODIES[route]?.(fixture) ?? {} };
  const workspace = { workspace_id: fixture.workspaceId };
  if (method !== 'GET') {
    return { target, body: { ...(BODIES[route]?.(fixture) ?? {}), ...workspace } };
  }
  // The first sale of the fixture's program.
  const query = path.endsWith('/trace')
    ? `?transaction_id=${fixture.code}-1`
    : `?workspace_id=${fixture.workspaceId}`;
  return { target: `${target}${query}` };
}
