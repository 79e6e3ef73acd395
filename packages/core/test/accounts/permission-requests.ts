import type { Fixture } from './permission-fixture.ts';

interface Request {
  readonly target: string;
  readonly body?: unknown;
}

const COMMISSION = { type: 'percent', rate: 5 } as const;
const PROGRAMS = '/api/advertiser/affiliate-programs';

/**
 * Valid bodies for some routes. Some of these routes check a part of the access only after they have validated the
 * body. All routes that are not listed here get an empty body. If such a route returns 400, access was granted, and the
 * request has not changed rows that later requests need.
 */
const BODIES: Readonly<Record<string, (fixture: Fixture) => unknown>> = {
  'POST /api/v1/track/click': ({ code }) => ({ affiliate_url: `https://shop.example/?aff=${code}` }),
  'POST /api/tracking/click': ({ code }) => ({ affiliate_url: `https://shop.example/?aff=${code}` }),
  'POST /api/v1/cli/test-event': () => ({ type: 'chain' }),
  'POST /api/v1/track/exists': () => ({ transaction_ids: ['t1'] }),
  'POST /api/auth/invite': () => ({ token: 'unknown' }),
  'POST /api/auth/accept-invite': () => ({ token: 'unknown', password: 'long enough for all' }),
  'POST /api/advertiser/members': (fixture) => ({
    name: 'Zoe',
    email: `${fixture.unique()}@shop.test`,
    role: 'viewer',
  }),
  [`POST ${PROGRAMS}`]: () => ({ name: 'New', site_url: 'https://new.example', commission: COMMISSION }),
  [`POST ${PROGRAMS}/:id/partners`]: (fixture) => ({
    name: 'Zoe',
    email: `${fixture.unique()}@partner.test`,
  }),
  [`POST ${PROGRAMS}/:id/links`]: ({ ids }) => ({ partner_id: ids.partner }),
  [`POST ${PROGRAMS}/:id/commission-policies`]: (fixture) => ({
    ...COMMISSION,
    product_id: fixture.unique(),
  }),
  [`PUT ${PROGRAMS}/:id/commission-policies/:policyId`]: () => COMMISSION,
  [`POST ${PROGRAMS}/:id/commissions/:commissionId/adjust`]: () => ({ amount_cents: 1, reason: 'goodwill' }),
  'POST /api/advertiser/api-keys': () => ({ name: 'k' }),
  'POST /api/advertiser/processor-connections': () => ({
    processor: 'stripe',
    account_id: 'acct_1',
    webhook_secret: 'whsec_1',
  }),
};

/** Returns the row for the `:id` of a route: the program, unless the path names another kind of row. */
function rowId(route: string, { ids }: Fixture): number {
  if (route.includes('/workspaces/')) return ids.workspace;
  if (route.includes('/members/')) return ids.member;
  if (route.includes('/partner/notifications/')) return ids.partnerNotification;
  if (route.includes('/notifications/')) return ids.notification;
  if (route.includes('/processor-connections/')) return ids.connection;
  return ids.program;
}

/**
 * Returns a request to a route for the rows of the fixture.
 * @param options.named whether the request contains the id of the workspace
 */
export async function requestFor(
  route: string,
  fixture: Fixture,
  options: { named: boolean; ownKeyId: number | undefined; ownSessionId: number | undefined },
): Promise<Request> {
  const { ids } = fixture;
  const [method = '', path = ''] = route.split(' ');
  const id = path.startsWith('/api/advertiser/api-keys/')
    ? (options.ownKeyId ?? (await fixture.addKey()).id)
    : path.startsWith('/api/auth/sessions/')
      ? (options.ownSessionId ?? 1)
      : rowId(route, fixture);
  // An endpoint can be deleted only once.
  const deletesEndpoint = method === 'DELETE' && path.endsWith('/:endpointId');
  const endpointId = deletesEndpoint ? await fixture.addEndpoint() : ids.webhookEndpoint;
  const target = path
    .replace(':programId', String(ids.program))
    .replace(':partnerId', String(ids.partner))
    .replace(':linkId', String(ids.link))
    .replace(':policyId', String(ids.policy))
    .replace(':payoutId', String(ids.payout))
    .replace(':customerId', String(ids.customer))
    .replace(':commissionId', String(ids.commission))
    .replace(':runId', String(ids.payoutRun))
    .replace(':endpointId', String(endpointId))
    .replace(':deliveryId', String(ids.webhookDelivery))
    .replace(':batchId', String(ids.payoutBatch))
    .replace(':connectionId', String(ids.connection))
    .replace(':slug', fixture.code)
    .replace(':id', String(id));
  // The trace route requires a sale. This is the first sale of the program.
  if (path.endsWith('/trace')) return { target: `${target}?transaction_id=${fixture.code}-1` };
  if (path === '/api/partner/series') return { target: `${target}?program_id=${ids.program}` };
  if (path.endsWith('/top')) return { target: `${target}?by=partner` };
  if (path.endsWith('/email-templates/preview')) return { target: `${target}?template=payout_paid` };
  // The program determines the workspace.
  if (path === '/api/advertiser/emails/test') {
    return { target, body: { program_id: ids.program, template: 'payout_paid' } };
  }
  if (path.startsWith('/api/v1/email/')) {
    const { confirmation, unsubscribe } = fixture.emailTokens;
    return { target: `${target}?token=${path.endsWith('/unsubscribe') ? unsubscribe : confirmation}` };
  }
  const body = BODIES[route]?.(fixture) ?? {};
  if (!options.named) return { target, body };
  const workspace = { workspace_id: fixture.workspaceId };
  return method === 'GET'
    ? { target: `${target}?workspace_id=${fixture.workspaceId}` }
    : { target, body: { ...body, ...workspace } };
}
