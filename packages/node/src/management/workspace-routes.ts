import { csv, data, list, nothing } from './endpoint.ts';

const PROGRAM = '/api/advertiser/affiliate-programs';
const ADVERTISER = '/api/advertiser';

/**
 * The resources of workspaces. All methods accept a management key, unless their description requires a
 * session. Amounts are integers in the smallest unit of their currency, times are ISO 8601 in UTC.
 */
export const WORKSPACE_ROUTES = {
  programs: {
    /** Lists the programs that the key covers. Scope `program:list`. */
    list: list(`GET ${PROGRAM}`),
    /**
     * Creates a draft program. Tracking works immediately. Only this result contains the whole `api_token`.
     * Scope `program:create`. Not retried: after a failure, look for the program in the list before you
     * repeat the call.
     *
     * @throws AffkitConflictError with code `slug_taken` if another program has the `slug`
     */
    create: data(`POST ${PROGRAM}`, 'body'),
    /**
     * Reads a program. Scope `program:read`.
     *
     * @throws AffkitNotFoundError if the program does not exist, or the key does not cover it
     */
    get: data(`GET ${PROGRAM}/:id`, 'none'),
    /**
     * Changes the given settings of a program. Scope `program:update`.
     *
     * @throws AffkitConflictError with code `slug_taken` if another program has the `slug`, or with code
     * `currency_immutable` if the `currency` would change after the first sale
     */
    update: data(`PUT ${PROGRAM}/:id`, 'body'),
    /**
     * Deletes a program: its links and its token stop working. Scope `program:delete`.
     *
     * @throws AffkitConflictError with code `program_has_balance` while partners are owed money
     */
    delete: nothing(`DELETE ${PROGRAM}/:id`),
    /** Lists the program on the marketplace. Scope `program:go_live`. */
    goLive: data(`POST ${PROGRAM}/:id/go-live`, 'none', 'yes'),
    /**
     * Replaces the tracking token. The previous token stops working immediately, and only this result
     * contains the new one. Scope `program:regenerate-token`. Not retried: after a failure, you may
     * not know the current token. Call the method again to get another one.
     */
    regenerateToken: data(`POST ${PROGRAM}/:id/regenerate-api-token`, 'none'),
  },
  /** Requires a session. */
  workspaces: {
    /** Lists the workspaces of the user. */
    list: list(`GET ${ADVERTISER}/workspaces`),
    /**
     * Creates a workspace that the user owns. Not retried: after a failure, check the list before you repeat
     * the call.
     *
     * @throws AffkitPermissionError with code `owner_required` if the user owns no workspace
     */
    create: data(`POST ${ADVERTISER}/workspaces`, 'body'),
    /** Renames a workspace. Requires the session of an owner. */
    update: data(`PUT ${ADVERTISER}/workspaces/:id`, 'body'),
  },
  /** Requires the session of an owner. */
  members: {
    /** Lists members and invitations. */
    list: list(`GET ${ADVERTISER}/members`),
    /**
     * Invites a member. Only this result contains the `invite_token`. Not retried: after a failure, delete
     * the invitation if it is in the list, and invite again.
     */
    create: data(`POST ${ADVERTISER}/members`, 'body'),
    /** Changes the role of a member. */
    update: data(`PUT ${ADVERTISER}/members/:id`, 'body'),
    /**
     * Sends a new invitation to a member who has not accepted. Earlier invitations become invalid. Not
     * retried, because each request sends an email.
     */
    invite: data(`POST ${ADVERTISER}/members/:id/invite`, 'none'),
    /** Removes a member, and revokes the member's management keys. */
    delete: nothing(`DELETE ${ADVERTISER}/members/:id`),
  },
  /** Requires a session. */
  notifications: {
    /** Lists notifications, newest first. */
    list: list(`GET ${ADVERTISER}/notifications`),
    /** Marks a notification as read. */
    markRead: data(`POST ${ADVERTISER}/notifications/:id/read`, 'none', 'yes'),
    /** Marks all notifications as read. */
    markAllRead: data(`POST ${ADVERTISER}/notifications/read-all`, 'body', 'yes'),
  },
  /** Requires the session of an owner or admin. */
  emails: {
    /** Lists the emails that the service sends for a workspace, newest first. */
    list: list(`GET ${ADVERTISER}/emails`),
    /**
     * Sends an example of a template to the email address of the signed-in user. Not retried, because each
     * request sends an email.
     *
     * @throws AffkitConflictError with code `email_not_set_up` if the service sends no email
     */
    sendTest: data(`POST ${ADVERTISER}/emails/test`, 'body'),
  },
  /** Requires the session of an owner. */
  auditLog: {
    /** Lists changes, newest first. */
    list: list(`GET ${ADVERTISER}/audit-log`),
    /** Streams the changes as CSV. Read the stream to its end, or cancel it. */
    exportCsv: csv(`GET ${ADVERTISER}/audit-log.csv`),
  },
  apiKeys: {
    /** Lists management keys. If the client itself uses a management key, the list contains only that key. */
    list: list(`GET ${ADVERTISER}/api-keys`),
    /**
     * Creates a management key. Requires a session. Only this result contains the whole `key`. Not retried:
     * after a failure, revoke the key if it is in the list, and create another.
     */
    create: data(`POST ${ADVERTISER}/api-keys`, 'body'),
    /**
     * Changes the name, scopes, or programs of a key.
     *
     * @throws AffkitPermissionError with code `scope_escalation` if a key would widen its own rights
     */
    update: data(`PUT ${ADVERTISER}/api-keys/:id`, 'body'),
    /** Revokes a management key. If the client itself uses a management key, it can revoke only that key. */
    revoke: data(`DELETE ${ADVERTISER}/api-keys/:id`, 'none'),
  },
  /** Requires the session of an owner or admin. */
  processorConnections: {
    /** Lists the connections to payment processors. */
    list: list(`GET ${ADVERTISER}/processor-connections`),
    /**
     * Connects a payment processor. Not retried: after a failure, check the list before you repeat the call.
     */
    create: data(`POST ${ADVERTISER}/processor-connections`, 'body'),
    /** Changes a connection, for example its webhook secret. */
    update: data(`PUT ${ADVERTISER}/processor-connections/:id`, 'body'),
    /** Disconnects the processor. This cannot be undone. */
    delete: data(`DELETE ${ADVERTISER}/processor-connections/:id`, 'none'),
  },
  /** The preferences for the emails that the signed-in user gets. Requires a session. */
  emailPreferences: {
    /** Reads the preferences. */
    get: data('GET /api/auth/email-preferences', 'none'),
    /** Changes the given preferences. */
    update: data('PUT /api/auth/email-preferences', 'body'),
  },
  /** The signed-in user's own sessions. Requires a session. */
  sessions: {
    /** Lists the sessions, newest first. */
    list: list('GET /api/auth/sessions'),
    /** Ends a session. */
    end: nothing('DELETE /api/auth/sessions/:id'),
    /** Ends all sessions but the current one. */
    endOthers: nothing('DELETE /api/auth/sessions'),
  },
  dashboard: {
    /** Totals of all programs that the key covers. Scope `dashboard:view`. */
    summary: data(`GET ${ADVERTISER}/dashboard/summary`, 'query'),
  },
} as const;
