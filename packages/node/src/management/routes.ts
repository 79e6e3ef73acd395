import { bulk, csv, data, done, keyed, list, reply } from './endpoint.ts';

const P = '/api/advertiser/affiliate-programs';
const A = '/api/advertiser';

/** The resources of workspaces. */
export const WORKSPACE_ROUTES = {
  programs: {
    /** Lists the programs that the key covers. */
    list: list(`GET ${P}`),
    /** Creates a program. Only this result contains the whole `api_token`. */
    create: data(`POST ${P}`, 'body'),
    get: data(`GET ${P}/:id`, 'none'),
    update: data(`PUT ${P}/:id`, 'body'),
    /** Deletes a program: its links and its token stop working. */
    delete: done(`DELETE ${P}/:id`),
    /** Lists the program on the marketplace. */
    goLive: data(`POST ${P}/:id/go-live`, 'none', 'yes'),
    /** Replaces the tracking token. The previous token stops working immediately. */
    regenerateToken: data(`POST ${P}/:id/regenerate-api-token`, 'none'),
  },
  /** Requires a session. */
  workspaces: {
    list: list(`GET ${A}/workspaces`),
    create: data(`POST ${A}/workspaces`, 'body'),
  },
  /** Requires the session of an owner. */
  members: {
    list: list(`GET ${A}/members`),
    /** Invites a member. Only this result contains the `invite_token`. */
    create: data(`POST ${A}/members`, 'body'),
    update: data(`PUT ${A}/members/:id`, 'body'),
    delete: done(`DELETE ${A}/members/:id`),
  },
  /** Requires a session. */
  notifications: {
    list: list(`GET ${A}/notifications`),
    markRead: data(`POST ${A}/notifications/:id/read`, 'none', 'yes'),
    markAllRead: data(`POST ${A}/notifications/read-all`, 'body', 'yes'),
  },
  /** Requires the session of an owner. */
  auditLog: {
    list: list(`GET ${A}/audit-log`),
    exportCsv: csv(`GET ${A}/audit-log.csv`),
  },
  apiKeys: {
    /** Lists management keys. A client with a key lists only that key. */
    list: list(`GET ${A}/api-keys`),
    /** Creates a management key. Requires a session. Only this result contains the whole `key`. */
    create: data(`POST ${A}/api-keys`, 'body'),
    update: data(`PUT ${A}/api-keys/:id`, 'body'),
    /** Revokes a management key. A client with a key can revoke only that key. */
    revoke: data(`DELETE ${A}/api-keys/:id`, 'none'),
  },
  /** Requires the session of an owner or admin. */
  processorConnections: {
    list: list(`GET ${A}/processor-connections`),
    create: data(`POST ${A}/processor-connections`, 'body'),
    update: data(`PUT ${A}/processor-connections/:id`, 'body'),
    /** Disconnects the processor. This cannot be undone. */
    delete: data(`DELETE ${A}/processor-connections/:id`, 'none'),
  },
  /** The signed-in user's own sessions. Requires a session. */
  sessions: {
    list: list('GET /api/auth/sessions'),
    /** Ends a session. */
    end: done('DELETE /api/auth/sessions/:id'),
    /** Ends all sessions but the current one. */
    endOthers: done('DELETE /api/auth/sessions'),
  },
  dashboard: {
    /** Totals of all programs that the key covers. */
    summary: data(`GET ${A}/dashboard/summary`, 'query'),
  },
} as const;

/** The resources of a program. The first id of each path is the program's. */
export const PROGRAM_ROUTES = {
  partners: {
    list: list(`GET ${P}/:id/partners`),
    exportCsv: csv(`GET ${P}/:id/partners.csv`),
    /** Enrolls a partner. Only the first result contains the `invite_token`. */
    create: data(`POST ${P}/:id/partners`, 'body'),
    get: data(`GET ${P}/:id/partners/:partnerId`, 'none'),
    update: data(`PUT ${P}/:id/partners/:partnerId`, 'body'),
    /** Approves, rejects or bans up to 100 partners, each with a result of its own. */
    bulk: bulk(`POST ${P}/:id/partners/bulk`, 'ids'),
    /** Enrolls the partners of a CSV file, each with a result of its own. */
    import: reply(`POST ${P}/:id/partners/import`, 'csv'),
  },
  links: {
    list: list(`GET ${P}/:id/links`),
    exportCsv: csv(`GET ${P}/:id/links.csv`),
    create: data(`POST ${P}/:id/links`, 'body'),
    get: data(`GET ${P}/:id/links/:linkId`, 'none'),
    update: data(`PUT ${P}/:id/links/:linkId`, 'body'),
  },
  customers: {
    list: list(`GET ${P}/:id/customers`),
    get: data(`GET ${P}/:id/customers/:customerId`, 'none'),
    /** Explains why a partner was or was not credited, in pages of steps. */
    trace: reply(`GET ${P}/:id/trace`, 'query'),
  },
  policies: {
    list: list(`GET ${P}/:id/commission-policies`),
    create: data(`POST ${P}/:id/commission-policies`, 'body'),
    update: data(`PUT ${P}/:id/commission-policies/:policyId`, 'body'),
    delete: done(`DELETE ${P}/:id/commission-policies/:policyId`),
    /** Computes the commission of a hypothetical sale. Stores nothing. */
    simulate: data(`POST ${P}/:id/commission-policies/simulate`, 'body', 'yes'),
  },
  commissions: {
    list: list(`GET ${P}/:id/commissions`),
    exportCsv: csv(`GET ${P}/:id/commissions.csv`),
    /** Sums by status and currency. Takes the filters of `list`. */
    totals: data(`GET ${P}/:id/commissions/totals`, 'query'),
    get: data(`GET ${P}/:id/commissions/:commissionId`, 'none'),
    approve: data(`POST ${P}/:id/commissions/:commissionId/approve`, 'none', 'yes'),
    reject: data(`POST ${P}/:id/commissions/:commissionId/reject`, 'none', 'yes'),
    /** Adds an amount to the commission, or subtracts it. */
    adjust: keyed(`POST ${P}/:id/commissions/:commissionId/adjust`),
    /** Approves or rejects up to 100 commissions, each with a result of its own. */
    bulk: bulk(`POST ${P}/:id/commissions/bulk`, 'ids'),
  },
  payouts: {
    list: list(`GET ${P}/:id/payouts`),
    exportCsv: csv(`GET ${P}/:id/payouts.csv`),
    /** Creates a payout for each partner and currency with a payable amount. */
    create: data(`POST ${P}/:id/payouts`, 'body'),
    /** Lists the payouts that `create` would create now. Stores nothing. */
    preview: reply(`POST ${P}/:id/payouts/preview`, 'body', 'yes'),
    get: data(`GET ${P}/:id/payouts/:payoutId`, 'none'),
    markPaid: data(`POST ${P}/:id/payouts/:payoutId/mark-paid`, 'body', 'yes'),
    /** Marks up to 100 payouts as paid, each with a result of its own. */
    markManyPaid: bulk(`POST ${P}/:id/payouts/mark-paid`, 'items'),
    /** Cancels a payout and releases its commissions. */
    cancel: data(`POST ${P}/:id/payouts/:payoutId/cancel`, 'none', 'yes'),
  },
  events: {
    /** Lists clicks, leads and sales. Requires a session. */
    list: list('GET /api/tracking/events/:programId'),
    /** Requires a session. */
    exportCsv: csv(`GET ${P}/:programId/events.csv`),
    /** Lists the tracking calls that the server rejected. */
    listRefused: list(`GET ${P}/:id/refusals`),
  },
  reports: {
    /** Measures by UTC day or hour, beside the preceding range. */
    series: reply(`GET ${P}/:id/series`, 'query'),
    /** The partners or links with the highest values. */
    top: reply(`GET ${P}/:id/top`, 'query'),
    /** Figures by country, referrer, device or page. */
    breakdown: reply(`GET ${P}/:id/breakdown`, 'query'),
    /** Daily figures with totals and trends. Requires a session. */
    performance: reply('GET /api/tracking/performance/:programId', 'query'),
  },
  integration: {
    /** The setup progress of the program. */
    get: data(`GET ${P}/:id/integration`, 'none'),
    /** The status of each setup step, as in the dashboard. Requires a session. */
    status: data('GET /api/tracking/status/:programId', 'none'),
    /** Sends a click, a lead and a sale in test mode. */
    test: data(`POST ${P}/:id/test-event`, 'body'),
  },
} as const;
