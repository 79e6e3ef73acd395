import { transactionsExistRequest } from '@affkit/protocol';
import { isoTime, isoTimeOrNull } from '../domain/calendar.ts';
import { readProgramStatus } from '../reporting/program-status.ts';
import { listKnownTransactions } from '../storage/tracking/sales.ts';
import { type Route, route } from './route.ts';

const TOKEN_ROUTE_ACCESS = { kind: 'token' } as const;

/** A body of this size has room for 1,000 ids of 255 characters, even if each character is written as `\uXXXX`. */
const MAX_IDS_BYTES = 1.5 * 1024 * 1024;

/** Routes that an advertiser's server calls to check its integration. */
export const integrationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v1/track/exists',
    access: TOKEN_ROUTE_ACCESS,
    maxBodyBytes: MAX_IDS_BYTES,
    body: transactionsExistRequest,
    handle: async (runtime, { body, caller: program }) => {
      const ids = [...new Set(body.transaction_ids)];
      const knownTransactions = await listKnownTransactions(runtime.engine, program, ids);
      return {
        body: {
          success: true,
          existing: ids.filter((id) => knownTransactions.has(id)),
          missing: ids.filter((id) => !knownTransactions.has(id)),
        },
      };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/cli/status',
    access: TOKEN_ROUTE_ACCESS,
    handle: async (runtime, { caller: program }) => {
      const status = await readProgramStatus(runtime, program);
      const { lastEventAt, recent } = status;
      return {
        body: {
          success: true,
          program_id: program.id,
          name: program.name,
          slug: program.slug,
          domain: new URL(program.siteUrl).hostname,
          status: program.status,
          api_token_masked: program.apiTokenMasked,
          steps: status.steps,
          last_event_at: {
            click: isoTimeOrNull(lastEventAt.click),
            lead: isoTimeOrNull(lastEventAt.lead),
            sale: isoTimeOrNull(lastEventAt.sale),
          },
          recent_events: { clicks_24h: recent.click, leads_24h: recent.lead, sales_24h: recent.sale },
          active_partners: status.activePartners,
          pending_commissions: status.pendingCommissions,
          healthy: status.isHealthy,
          checked_at: isoTime(status.checkedAt),
        },
      };
    },
  }),
];
