import { pageQuery } from '@affkit/protocol';
import type { PolicyTerms } from '../domain/commission.ts';
import { listMarketplacePrograms, type MarketplaceProgram } from '../storage/programs/marketplace.ts';
import { replyWithList, rowRangeOf } from './pagination.ts';
import { type Route, route } from './route.ts';

export const marketplaceRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/marketplace/programs',
    access: { kind: 'public' },
    query: pageQuery,
    handle: async (runtime, { query }) => {
      const { programs, total } = await listMarketplacePrograms(runtime.engine.read, rowRangeOf(query));
      return replyWithList(programs.map(toMarketplaceReply), query, total);
    },
  }),
];

function toMarketplaceReply(program: MarketplaceProgram) {
  return {
    name: program.name,
    slug: program.slug,
    site_url: program.siteUrl,
    commission: toOfferReply(program, program.currency),
    cookie_window_days: program.cookieWindowDays,
  };
}

export function toOfferReply({ type, rateBps, amountCents, recurringMonths }: PolicyTerms, currency: string) {
  return type === 'percent'
    ? { type, rate: (rateBps ?? 0) / 100, recurring_months: recurringMonths }
    : { type, amount_cents: amountCents ?? 0, currency, recurring_months: recurringMonths };
}
