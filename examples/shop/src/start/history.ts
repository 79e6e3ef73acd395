import { PRODUCTS } from '../catalog.ts';
import { API_PROGRAMS, type Api } from './api.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAYS = 90;
/** Requests that are sent at once. Their order does not matter. */
const BATCH = 32;

/** The clock that the server reads while it records the history. */
export interface Clock {
  now: number;
}

interface HistoryPartner {
  readonly name: string;
  readonly email: string;
  readonly code: string;
  /** Clicks per day at the end of the history. */
  readonly clicks: number;
  /** Share of the visitors who sign up, and of those who buy. */
  readonly signUps: number;
  readonly buys: number;
  readonly referrers: readonly string[];
  readonly status?: 'pending';
}

const PARTNERS: readonly HistoryPartner[] = [
  {
    name: 'The Steeping Room',
    email: 'hello@steeping-room.example',
    code: 'steeping-room',
    clicks: 46,
    signUps: 0.11,
    buys: 0.55,
    referrers: ['https://steeping-room.example/reviews', 'https://www.google.com/'],
  },
  {
    name: 'Slow Kitchen Letters',
    email: 'post@slow-kitchen.example',
    code: 'slow-kitchen',
    clicks: 24,
    signUps: 0.16,
    buys: 0.6,
    referrers: ['https://slow-kitchen.example/letters/41'],
  },
  {
    name: 'Cups & Kettles',
    email: 'team@cups-and-kettles.example',
    code: 'cups',
    clicks: 31,
    signUps: 0.05,
    buys: 0.4,
    referrers: ['https://www.youtube.com/', 'https://m.youtube.com/'],
  },
  {
    name: 'Teehaus am Fluss',
    email: 'hallo@teehaus-am-fluss.example',
    code: 'teehaus',
    clicks: 12,
    signUps: 0.14,
    buys: 0.5,
    referrers: ['https://teehaus-am-fluss.example/'],
  },
  {
    name: 'Discount Drops',
    email: 'deals@discount-drops.example',
    code: 'drops',
    clicks: 58,
    signUps: 0.02,
    buys: 0.2,
    referrers: ['https://discount-drops.example/today', 'https://t.co/'],
  },
  {
    name: 'Morning Leaf Podcast',
    email: 'studio@morning-leaf.example',
    code: 'morning-leaf',
    clicks: 0,
    signUps: 0,
    buys: 0,
    referrers: [],
    status: 'pending',
  },
];

const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.2 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
  'Mozilla/5.0 (Linux; Android 16; Pixel 10) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/146.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0',
] as const;

/** Addresses that the location database knows, in several countries. */
const ADDRESSES = [
  '216.160.83.56',
  '81.2.69.142',
  '89.160.20.112',
  '216.160.83.57',
  '80.67.169.12',
  '202.12.27.33',
];
const LANDING_PAGES = ['/', '/teas', '/products/kettle', '/products/gongfu-set'] as const;

interface Sale {
  readonly at: number;
  readonly transactionId: string;
  readonly amountCents: number;
}

/**
 * Records 90 days of clicks, leads, sales, refunds and payouts, through the same API that shops call. The
 * figures are the same in each demo: they follow from a seed.
 * @param clock the clock of the server, which the history moves up to the present
 */
export async function recordHistory(
  api: Api,
  { programId, token, shopUrl }: { programId: number; token: string; shopUrl: string },
  clock: Clock,
): Promise<void> {
  const random = createRandom(20_260);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const track = (name: string, body: object, headers: Record<string, string> = {}) =>
    api<{ click_id?: string }>('POST', `/api/v1/track/${name}`, body, { token, headers });
  const program = `${API_PROGRAMS}/${programId}`;
  const present = clock.now;
  const start = Math.floor(present / DAY_MS) * DAY_MS - DAYS * DAY_MS;
  clock.now = start;
  for (const { name, email, code, status } of PARTNERS) {
    await api('POST', `${program}/partners`, { name, email, code, ...(status && { status }) });
  }

  const sales: Sale[] = [];
  const visit = async (partner: HistoryPartner, at: number, index: number) => {
    const { click_id: clickId } = await track(
      'click',
      {
        affiliate_url: `${shopUrl}${pick(LANDING_PAGES)}?aff=${partner.code}&sub_id=${pick(['post', 'story', 'bio'])}`,
        page_url: `${shopUrl}${pick(LANDING_PAGES)}`,
        ...(partner.referrers.length > 0 && { referrer_url: pick(partner.referrers) }),
        user_agent: pick(USER_AGENTS),
      },
      { 'x-forwarded-for': pick(ADDRESSES) },
    );
    if (clickId === undefined || random() > partner.signUps) return;
    const customer = `demo-${partner.code}-${index}`;
    await track('lead', { click_id: clickId, customer_key: customer });
    if (random() > partner.buys) return;
    const product = pick(PRODUCTS);
    const transactionId = `demo-order-${1000 + index}`;
    await track('sale', {
      transaction_id: transactionId,
      customer_key: customer,
      amount_cents: product.priceCents,
      currency: partner.code === 'teehaus' ? 'EUR' : 'USD',
      product_id: product.id,
    });
    sales.push({ at, transactionId, amountCents: product.priceCents });
  };

  let index = 0;
  for (let day = 0; day <= DAYS; day++) {
    const dayStart = start + day * DAY_MS;
    const growth = 0.35 + (0.65 * day) / DAYS;
    const weekday = new Date(dayStart).getUTCDay();
    const rhythm = weekday === 0 || weekday === 6 ? 1.25 : 1;
    const visits = PARTNERS.flatMap((partner) => {
      const count = Math.round(partner.clicks * growth * rhythm * (0.7 + 0.6 * random()));
      return Array.from({ length: count }, () => ({ partner, at: Math.floor(dayStart + random() * DAY_MS) }));
    })
      .filter(({ at }) => at < present)
      .sort((a, b) => a.at - b.at);
    for (let first = 0; first < visits.length; first += BATCH) {
      const batch = visits.slice(first, first + BATCH);
      clock.now = Math.max(clock.now, batch[0]?.at ?? dayStart);
      await Promise.all(batch.map(({ partner, at }) => visit(partner, at, index++)));
    }
    if (day % 9 === 5) await refundOne(sales, clock, track);
    if (day === 60) await payOut(api, program, clock);
  }
  clock.now = present;
}

/** Refunds one recent sale: every second one only in part. */
async function refundOne(
  sales: Sale[],
  clock: Clock,
  track: (name: string, body: object) => Promise<unknown>,
): Promise<void> {
  const sale = sales.splice(Math.max(0, sales.length - 3), 1)[0];
  if (!sale) return;
  clock.now += HOUR_MS;
  const isPartial = sales.length % 2 === 0;
  await track('refund', {
    transaction_id: sale.transactionId,
    refund_id: `refund-${sale.transactionId}`,
    ...(isPartial && { amount_cents: Math.round(sale.amountCents / 2) }),
    reason: isPartial ? 'Arrived damaged' : 'Returned within 14 days',
  });
}

/** Pays what is payable, to all partners but the last. */
async function payOut(api: Api, program: string, clock: Clock): Promise<void> {
  clock.now += HOUR_MS;
  const payouts = await api<{ id: number }[]>('POST', `${program}/payouts`, {});
  for (const { id } of payouts.slice(0, -1)) {
    await api('POST', `${program}/payouts/${id}/mark-paid`, { reference: `Bank transfer ${id}` });
  }
}

/** Numbers from 0 to 1, the same for each seed (the generator mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
