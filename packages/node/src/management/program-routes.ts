import { bulk, csv, data, keyed, list, nothing, reply } from './endpoint.ts';

const PROGRAM = '/api/advertiser/affiliate-programs';

/**
 * The resources of a program. The first id of each path is the program's. Amounts are integers in the
 * smallest unit of their currency. In exported files, amounts are decimals, unless the name of the column
 * ends in `_cents`.
 */
export const PROGRAM_ROUTES = {
  page: {
    /** Reads the settings of the public page, with the invitation codes. Scope `program:update`. */
    get: data(`GET ${PROGRAM}/:id/page`, 'none'),
    /** Changes the given settings of the public page. Lists are replaced as a whole. Scope `program:update`. */
    update: data(`PUT ${PROGRAM}/:id/page`, 'body'),
  },
  emailTemplates: {
    /** Lists the email templates, filled in with examples. Requires the session of an owner or admin. */
    list: reply(`GET ${PROGRAM}/:id/email-templates`, 'none'),
  },
  partners: {
    /** Lists partners with their balances and statistics. Scope `partner:list`. */
    list: list(`GET ${PROGRAM}/:id/partners`),
    /** Streams the partners as CSV. Read the stream to its end, or cancel it. Scope `partner:list`. */
    exportCsv: csv(`GET ${PROGRAM}/:id/partners.csv`),
    /**
     * Enrolls a partner, or returns the partner with this email address. Only the call that creates the
     * partner returns the `invite_token`. Scope `partner:create`. Not retried: a repeat is harmless, but
     * returns no token.
     *
     * @throws AffkitConflictError with code `short_link_taken` if another link has the `code` that you pass
     */
    create: data(`POST ${PROGRAM}/:id/partners`, 'body'),
    /** Reads a partner. Scope `partner:list`. @throws AffkitNotFoundError if the program does not have the partner */
    get: data(`GET ${PROGRAM}/:id/partners/:partnerId`, 'none'),
    /** Changes the given fields of a partner. Scope `partner:update`. */
    update: data(`PUT ${PROGRAM}/:id/partners/:partnerId`, 'body'),
    /**
     * Sends a new invitation to a partner who has no account. Earlier invitations become invalid. Scope
     * `partner:create`. Not retried, because each request sends an email.
     */
    invite: data(`POST ${PROGRAM}/:id/partners/:partnerId/invite`, 'none'),
    /**
     * Approves, rejects or bans partners. Each row has its own result: check `ok` of every row. More than 100
     * rows are sent in several requests, one after the other. Scope `partner:update`. The client adds an
     * `idempotency_key`.
     */
    bulk: bulk(`POST ${PROGRAM}/:id/partners/bulk`, 'ids'),
    /**
     * Enrolls the partners of a CSV file of at most 500 rows. Each row has its own result: check `ok` of
     * every row. `dry_run: true` only checks the file. Scope `partner:create`. Not retried: a repeat is
     * harmless, but returns no invitation tokens.
     */
    import: reply(`POST ${PROGRAM}/:id/partners/import`, 'csv'),
  },
  links: {
    /** Lists referral links with their clicks. Scope `link:list`. */
    list: list(`GET ${PROGRAM}/:id/links`),
    /** Streams the links as CSV. Read the stream to its end, or cancel it. Scope `link:list`. */
    exportCsv: csv(`GET ${PROGRAM}/:id/links.csv`),
    /**
     * Creates a link of a partner. Scope `link:create`. Not retried: without a `short_link`, a repeat would
     * create another link.
     *
     * @throws AffkitConflictError with code `short_link_taken` if another link has the `short_link`
     */
    create: data(`POST ${PROGRAM}/:id/links`, 'body'),
    /** Reads a link. Scope `link:list`. @throws AffkitNotFoundError if the program does not have the link */
    get: data(`GET ${PROGRAM}/:id/links/:linkId`, 'none'),
    /** Changes the given fields of a link, for example its status. Scope `link:update`. */
    update: data(`PUT ${PROGRAM}/:id/links/:linkId`, 'body'),
  },
  customers: {
    /** Lists the newest 1,000 customers. Scope `customer:list`. */
    list: list(`GET ${PROGRAM}/:id/customers`),
    /** Reads a customer. Scope `customer:list`. @throws AffkitNotFoundError if the program does not have the customer */
    get: data(`GET ${PROGRAM}/:id/customers/:customerId`, 'none'),
    /**
     * Explains why a partner was or was not credited: lists the steps of one customer, page by page. Pass an
     * id of the customer, of a sale, or of a commission. Scope `trace:read`.
     *
     * @throws AffkitNotFoundError if no customer has the id
     */
    trace: reply(`GET ${PROGRAM}/:id/trace`, 'query'),
  },
  policies: {
    /** Lists commission policies. Scope `policy:list`. */
    list: list(`GET ${PROGRAM}/:id/commission-policies`),
    /**
     * Creates a policy for a partner, a product, or both. `rate` is in percent, `amount_cents` in the
     * smallest unit of the program's currency. Scope `policy:create`. Not retried: after a failure, check the
     * list.
     */
    create: data(`POST ${PROGRAM}/:id/commission-policies`, 'body'),
    /** Changes a policy. The change applies only to later sales. Scope `policy:update`. */
    update: data(`PUT ${PROGRAM}/:id/commission-policies/:policyId`, 'body'),
    /** Deletes a policy. Earlier commissions do not change. Scope `policy:delete`. */
    delete: nothing(`DELETE ${PROGRAM}/:id/commission-policies/:policyId`),
    /** Computes the commission of a hypothetical sale, with the reasons. Stores nothing. Scope `policy:list`. */
    simulate: data(`POST ${PROGRAM}/:id/commission-policies/simulate`, 'body', 'yes'),
  },
  commissions: {
    /** Lists commissions. You can approve or reject them while you iterate. Scope `commission:list`. */
    list: list(`GET ${PROGRAM}/:id/commissions`),
    /** Streams the commissions as CSV. Read the stream to its end, or cancel it. Scope `commission:list`. */
    exportCsv: csv(`GET ${PROGRAM}/:id/commissions.csv`),
    /** Sums the amounts by status and currency. Accepts the filters of `list`. Scope `commission:list`. */
    totals: data(`GET ${PROGRAM}/:id/commissions/totals`, 'query'),
    /** Reads a commission. Scope `commission:list`. @throws AffkitNotFoundError if the program does not have the commission */
    get: data(`GET ${PROGRAM}/:id/commissions/:commissionId`, 'none'),
    /**
     * Makes a commission payable before its hold ends. A repeat changes nothing. Scope `commission:update`.
     *
     * @throws AffkitConflictError with code `commission_state` if the commission was rejected or reversed, or is
     * disputed
     */
    approve: data(`POST ${PROGRAM}/:id/commissions/:commissionId/approve`, 'none', 'yes'),
    /**
     * Rejects a commission permanently, and deducts it from the balance. A repeat changes nothing. Scope
     * `commission:update`.
     *
     * @throws AffkitConflictError with code `commission_state` if the commission is part of a payout, or was reversed
     */
    reject: data(`POST ${PROGRAM}/:id/commissions/:commissionId/reject`, 'none', 'yes'),
    /**
     * Adds `amount_cents` to a commission. A negative amount reduces it. Scope `commission:update`. The client
     * adds an `idempotency_key`. Pass your own key if you may have to repeat the call after a restart
     * of your process.
     *
     * @throws AffkitConflictError with code `commission_state` if the commission was rejected, or with code `conflict`
     * if the key was used for another adjustment
     */
    adjust: keyed(`POST ${PROGRAM}/:id/commissions/:commissionId/adjust`),
    /**
     * Approves or rejects commissions. Each row has its own result: check `ok` of every row. More than 100
     * rows are sent in several requests, one after the other. Scope `commission:update`. The client adds an
     * `idempotency_key`.
     */
    bulk: bulk(`POST ${PROGRAM}/:id/commissions/bulk`, 'ids'),
  },
  payoutDetails: {
    /**
     * Reads how a partner receives payouts. The account is masked. Null if the partner has entered nothing.
     * Scope `payout:create`.
     */
    get: data(`GET ${PROGRAM}/:id/partners/:partnerId/payout-details`, 'none'),
  },
  payoutBatches: {
    /** Lists batches of payouts, newest first. Scope `payout:list`. */
    list: list(`GET ${PROGRAM}/:id/payout-batches`),
    /**
     * Puts pending payouts into a batch. Returns the batch as `data`, and the payouts that are not in it as
     * `left_out`. Not retried: after a failure, look for the batch in the list. Scope `payout:create`.
     */
    create: reply(`POST ${PROGRAM}/:id/payout-batches`, 'body'),
    /** Reads a batch with its payouts. Scope `payout:list`. */
    get: data(`GET ${PROGRAM}/:id/payout-batches/:batchId`, 'none'),
    /** Streams the payment file of a batch. It contains bank accounts. Scope `payout:create`. */
    file: csv(`GET ${PROGRAM}/:id/payout-batches/:batchId/file`),
    /**
     * Releases the unsent payouts of a batch: they are pending again, and another batch can send them. A repeat
     * changes nothing. Scope `payout:update`.
     */
    cancel: data(`POST ${PROGRAM}/:id/payout-batches/:batchId/cancel`, 'none', 'yes'),
    /** Imports the report of the payment service. A repeat changes nothing. Scope `payout:update`. */
    importResults: reply(`POST ${PROGRAM}/:id/payout-batches/:batchId/import`, 'csv', 'yes'),
  },
  payoutRuns: {
    /** Lists the monthly proposals of the payout schedule, newest first. Scope `payout:list`. */
    list: list(`GET ${PROGRAM}/:id/payout-runs`),
    /** Creates the payouts of a proposal. A repeat creates nothing. Requires the session of an owner. */
    confirm: reply(`POST ${PROGRAM}/:id/payout-runs/:runId/confirm`, 'body', 'yes'),
    /** Dismisses a proposal; the amounts remain payable. Requires the session of an owner. */
    dismiss: data(`POST ${PROGRAM}/:id/payout-runs/:runId/dismiss`, 'none', 'yes'),
  },
  webhookEndpoints: {
    /** Lists all endpoints, oldest first. Requires the session of an owner or admin. */
    list: list(`GET ${PROGRAM}/:id/webhook-endpoints`),
    /** Creates an endpoint. Returns its secret, which is never shown again. Not retried. Requires the session of an owner or admin. */
    create: data(`POST ${PROGRAM}/:id/webhook-endpoints`, 'body'),
    /** Reads an endpoint. Requires the session of an owner or admin. */
    get: data(`GET ${PROGRAM}/:id/webhook-endpoints/:endpointId`, 'none'),
    /** Changes the URL, the event types, or the description. A repeat changes nothing. Requires the session of an owner or admin. */
    update: data(`PUT ${PROGRAM}/:id/webhook-endpoints/:endpointId`, 'body', 'yes'),
    /** Deletes an endpoint. Pending deliveries are not sent. Requires the session of an owner or admin. */
    delete: nothing(`DELETE ${PROGRAM}/:id/webhook-endpoints/:endpointId`),
    /**
     * Replaces the secret. For 24 hours, webhooks are also signed with the previous secret. A second replacement
     * within this time drops the older secret at once. Not retried. Requires the session of an owner or admin.
     */
    rotateSecret: data(`POST ${PROGRAM}/:id/webhook-endpoints/:endpointId/rotate-secret`, 'none'),
    /** Pauses deliveries. Events wait for up to three days. A repeat changes nothing. Requires the session of an owner or admin. */
    pause: data(`POST ${PROGRAM}/:id/webhook-endpoints/:endpointId/pause`, 'none', 'yes'),
    /** Resumes deliveries. A repeat changes nothing. Requires the session of an owner or admin. */
    resume: data(`POST ${PROGRAM}/:id/webhook-endpoints/:endpointId/resume`, 'none', 'yes'),
    /** Sends an event of the type `webhook.test`. Not retried. Requires the session of an owner or admin. */
    test: data(`POST ${PROGRAM}/:id/webhook-endpoints/:endpointId/test`, 'none'),
    /** Sends the webhooks of a time range again, with the same ids. Not retried. Requires the session of an owner or admin. */
    replay: data(`POST ${PROGRAM}/:id/webhook-endpoints/:endpointId/replay`, 'body'),
    /** Lists the deliveries of the last 30 days, newest first. Requires the session of an owner or admin. */
    listDeliveries: list(`GET ${PROGRAM}/:id/webhook-endpoints/:endpointId/deliveries`),
    /** Reads a delivery with its event, requests, and responses. Requires the session of an owner or admin. */
    getDelivery: data(`GET ${PROGRAM}/:id/webhook-endpoints/:endpointId/deliveries/:deliveryId`, 'none'),
    /** Sends a webhook again, with the same id. Not retried. Requires the session of an owner or admin. */
    replayDelivery: data(
      `POST ${PROGRAM}/:id/webhook-endpoints/:endpointId/deliveries/:deliveryId/replay`,
      'none',
    ),
  },
  payoutSettings: {
    /**
     * Reads the minimum payout, the payout schedule, and the masked bank account of the advertiser. Scope
     * `payout:list`.
     */
    get: data(`GET ${PROGRAM}/:id/payout-settings`, 'none'),
    /** Changes the given settings of payouts. Scope `payout:create`. */
    update: data(`PUT ${PROGRAM}/:id/payout-settings`, 'body'),
  },
  payouts: {
    /** Lists payouts. Scope `payout:list`. */
    list: list(`GET ${PROGRAM}/:id/payouts`),
    /** Streams the payouts as CSV. Read the stream to its end, or cancel it. Scope `payout:list`. */
    exportCsv: csv(`GET ${PROGRAM}/:id/payouts.csv`),
    /**
     * Creates a pending payout for each partner and currency with a payable amount. Returns these payouts. Scope
     * `payout:create`. Not retried: a repeat creates no payout twice, but does not return the payouts of the
     * first request. After a failure, list the pending payouts.
     */
    create: data(`POST ${PROGRAM}/:id/payouts`, 'body'),
    /** Lists the payouts that `create` would create now. Stores nothing. Scope `payout:list`. */
    preview: reply(`POST ${PROGRAM}/:id/payouts/preview`, 'body', 'yes'),
    /** Reads a payout. Scope `payout:list`. @throws AffkitNotFoundError if the program does not have the payout */
    get: data(`GET ${PROGRAM}/:id/payouts/:payoutId`, 'none'),
    /**
     * Marks a payout and its commissions as paid, with your `reference` of the payment. A repeat changes nothing,
     * not even the reference. Scope `payout:update`.
     *
     * @throws AffkitConflictError with code `payout_state` if the payout was cancelled
     */
    markPaid: data(`POST ${PROGRAM}/:id/payouts/:payoutId/mark-paid`, 'body', 'yes'),
    /**
     * Marks payouts as paid. Each row has its own result: check `ok` of every row. More than 100 rows are
     * sent in several requests, one after the other. Scope `payout:update`. The client adds an
     * `idempotency_key`.
     */
    markManyPaid: bulk(`POST ${PROGRAM}/:id/payouts/mark-paid`, 'items'),
    /**
     * Cancels a payout. Another payout can then include its commissions. A repeat changes nothing. Scope
     * `payout:update`.
     *
     * @throws AffkitConflictError with code `payout_state` if the payout was paid
     */
    cancel: data(`POST ${PROGRAM}/:id/payouts/:payoutId/cancel`, 'none', 'yes'),
  },
  events: {
    /** Lists at most 1,000 clicks, leads and sales, newest first. Requires a session. */
    list: list('GET /api/tracking/events/:programId'),
    /** Streams all events as CSV. Read the stream to its end, or cancel it. Requires a session. */
    exportCsv: csv(`GET ${PROGRAM}/:programId/events.csv`),
    /** Lists the last 1,000 tracking calls that the server rejected, with the reasons. Scope `trace:read`. */
    listRefused: list(`GET ${PROGRAM}/:id/refusals`),
  },
  reports: {
    /** Statistics by UTC day or hour, compared with the preceding range. Scope `dashboard:view`. */
    series: reply(`GET ${PROGRAM}/:id/series`, 'query'),
    /** The partners or links (`by: 'link'`) with the highest values. Scope `dashboard:view`. */
    top: reply(`GET ${PROGRAM}/:id/top`, 'query'),
    /** Statistics by country, referrer, device, operating system, browser or page. Scope `dashboard:view`. */
    breakdown: reply(`GET ${PROGRAM}/:id/breakdown`, 'query'),
    /**
     * Daily statistics with totals and trends. Amounts are decimals in the major unit of the currency, e.g.
     * 19.99. Requires a session.
     */
    performance: reply('GET /api/tracking/performance/:programId', 'query'),
  },
  integration: {
    /** The setup progress of the program, with the reasons for missing events. Scope `program:read`. */
    get: data(`GET ${PROGRAM}/:id/integration`, 'none'),
    /** The status of each setup step, as in the dashboard. Requires a session. */
    status: data('GET /api/tracking/status/:programId', 'none'),
    /**
     * Sends a click, a lead and a sale in test mode, and returns the result of each step. Not retried,
     * because a repeat would create further test events. Scope `program:update`.
     */
    test: data(`POST ${PROGRAM}/:id/test-event`, 'body'),
  },
} as const;
