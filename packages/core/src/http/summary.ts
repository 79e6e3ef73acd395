import { summaryQuery } from '@affkit/protocol';
import { programScopeOf } from '../access/permission.ts';
import { chooseWorkspaces } from '../access/workspace-choice.ts';
import { isRejection } from '../rejection.ts';
import { findSummary, type Summary } from '../storage/reads/summary.ts';
import { type Route, route } from './route.ts';

export const summaryRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/advertiser/dashboard/summary',
    readsReplica: true,
    access: { kind: 'management', scope: 'dashboard:view', program: false },
    query: summaryQuery,
    handle: async (runtime, { caller: actor, query }) => {
      const workspaceIds = chooseWorkspaces(actor, 'dashboard:view', query.workspace_id);
      if (isRejection(workspaceIds)) return workspaceIds;
      const ids = programScopeOf(actor);
      const summary = await findSummary(runtime.engine.read, { workspaceIds, ids });
      return { body: { success: true, data: toSummaryReply(summary) } };
    },
  }),
];

function toSummaryReply(summary: Summary) {
  const { totals } = summary;
  return {
    programs: summary.programs,
    live_programs: summary.livePrograms,
    partners: summary.partners,
    pending_partners: summary.pendingPartners,
    clicks: totals.get('clicks') ?? 0,
    leads: totals.get('leads') ?? 0,
    conversions: totals.get('first_purchases') ?? 0,
    sales: totals.get('sales') ?? 0,
    revenue: byCurrency(totals, 'revenue:'),
    commission: byCurrency(totals, 'commission:'),
    pending_commissions: summary.pendingCommissions,
    balances: summary.balances.map(({ currency, cents }) => ({ currency, balance_cents: cents })),
  };
}

function byCurrency(totals: ReadonlyMap<string, number>, prefix: string) {
  return [...totals]
    .filter(([measure]) => measure.startsWith(prefix))
    .map(([measure, cents]) => ({ currency: measure.slice(prefix.length), amount_cents: cents }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}
