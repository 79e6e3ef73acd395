import { type HistoryPartner, OTHER_PARTNERS, SEASONAL_LINK, SHOP_PARTNERS } from './partners.ts';
import { DAY_MS, DISPUTED, HISTORY_DAYS, HOUR_MS, MINUTE_MS, type Plan, type TrackingCall } from './plan.ts';
import { planPurchases } from './purchases.ts';
import { createRandom, type Random } from './random.ts';
import { planRejectedCalls } from './rejected-calls.ts';

const SEED = 20_260;
/** The disputed sale was made at least this many days before the end of the history. */
const DISPUTED_AGE_DAYS = 9;
/** The disputed sale was made at most this many days after the click, so that it earned a commission. */
const DISPUTED_MAX_DAYS_AFTER_CLICK = 20;

const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.2 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
] as const;
const LANDING_PAGES = ['/', '/', '/teas', '/products/kettle', '/products/gongfu-set'] as const;
const PLACEMENTS = ['post', 'story', 'bio', 'newsletter'] as const;

/**
 * The visits, sign-ups, purchases, renewals and refunds of a history, in time order. The random choices are
 * the same for each plan.
 */
export function planCalls(plan: Plan): readonly TrackingCall[] {
  const random = createRandom(SEED);
  const calls: TrackingCall[] = [];
  let visit = 0;
  for (let day = 0; day <= HISTORY_DAYS; day++) {
    const dayStart = plan.start + day * DAY_MS;
    for (const partner of [...SHOP_PARTNERS, ...OTHER_PARTNERS]) {
      const count = countVisits(random, partner, day, dayStart);
      for (let n = 0; n < count; n++) calls.push(...planVisit(random, plan, partner, day, visit++));
    }
  }
  const inTime = [...calls, ...planRejectedCalls(plan, visit)]
    .filter(({ at }) => at < plan.end)
    .sort((a, b) => a.at - b.at);
  return withDisputedSale(inTime, plan.end - DISPUTED_AGE_DAYS * DAY_MS);
}

function countVisits(
  random: Random,
  { clicks, joins }: HistoryPartner,
  day: number,
  dayStart: number,
): number {
  if (day < joins) return 0;
  const growth = 0.35 + (0.65 * day) / HISTORY_DAYS;
  const weekday = new Date(dayStart).getUTCDay();
  const weekend = weekday === 0 || weekday === 6 ? 1.25 : 1;
  return Math.round((clicks * growth * weekend * random.integer(70, 130)) / 100);
}

/** A click, and the events that follow from it. */
function planVisit(
  random: Random,
  { start, shopUrl }: Plan,
  partner: HistoryPartner,
  day: number,
  visit: number,
): TrackingCall[] {
  // The sum of two random numbers makes most visits fall around noon (UTC).
  const at = start + day * DAY_MS + random.integer(0, 12 * HOUR_MS) + random.integer(0, 12 * HOUR_MS - 1);
  const page = shopUrl + random.pick(LANDING_PAGES);
  const browser = { ip: random.pick(partner.addresses), origin: shopUrl };
  const body = {
    affiliate_url: `${page}?aff=${chooseCode(random, partner, day)}&sub_id=${random.pick(PLACEMENTS)}`,
    page_url: page,
    ...(random.chance(0.8) && { referrer_url: random.pick(partner.referrers) }),
    user_agent: random.pick(USER_AGENTS),
  };
  const click: TrackingCall = { at, visit, route: 'click', body, browser };
  if (!random.chance(partner.signUps)) return [click];

  const signUpAt = at + random.integer(2 * MINUTE_MS, random.chance(0.7) ? 40 * MINUTE_MS : 9 * HOUR_MS);
  const key = `demo-user-${1000 + visit}`;
  const lead: TrackingCall = {
    at: signUpAt,
    visit,
    route: 'lead',
    body: { customer_key: key, email: `customer.${1000 + visit}@mail.example` },
    needsClickId: true,
    ...(partner.reportsInBrowser && { browser }),
  };
  if (!random.chance(partner.buys)) return [click, lead];
  return [click, lead, ...planPurchases(random, partner, { visit, key, signUpAt })];
}

function chooseCode(random: Random, { code }: HistoryPartner, day: number): string {
  const isSeason = code === SEASONAL_LINK.partner && day > SEASONAL_LINK.from && day < SEASONAL_LINK.to;
  return isSeason && random.chance(0.5) ? SEASONAL_LINK.code : code;
}

/**
 * Chooses the sale that is disputed later, and adds ids of the payment processor to it. Of all sales of a tea set
 * before `latest`, it chooses the last one that earned a commission and was not refunded.
 */
function withDisputedSale(calls: readonly TrackingCall[], latest: number): readonly TrackingCall[] {
  const clicks = new Map(calls.filter(({ route }) => route === 'click').map(({ visit, at }) => [visit, at]));
  const withRefund = new Set(calls.filter(({ route }) => route === 'refund').map(({ visit }) => visit));
  const index = calls.findLastIndex(
    ({ at, body, route, visit }) =>
      route === 'sale' &&
      at < latest &&
      at - (clicks.get(visit) ?? 0) < DISPUTED_MAX_DAYS_AFTER_CLICK * DAY_MS &&
      !withRefund.has(visit) &&
      body['product_id'] === 'gongfu-set' &&
      body['currency'] === 'USD',
  );
  return calls.map((call, position) =>
    position === index
      ? { ...call, body: { ...call.body, processor_refs: [DISPUTED.charge, DISPUTED.paymentIntent] } }
      : call,
  );
}
