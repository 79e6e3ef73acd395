/** A partner for whom the history contains invented visitors. */
export interface HistoryPartner {
  readonly name: string;
  readonly email: string;
  readonly code: string;
  /** The day of the history on which the partner joins, counted from 0. */
  readonly joins: number;
  /** Clicks per day at the end of the history. */
  readonly clicks: number;
  /** The share of the visitors who sign up. `buys` is the share of these users who buy. */
  readonly signUps: number;
  readonly buys: number;
  readonly currency: 'USD' | 'EUR' | 'JPY';
  /** Whether sign-ups are reported by the browser, so that commissions need an approval. */
  readonly reportsInBrowser?: true;
  readonly referrers: readonly [string, ...string[]];
  /** IP addresses of the visitors. They determine the countries of the clicks. */
  readonly addresses: readonly [string, ...string[]];
}

const US = ['216.160.83.56', '18.9.22.69', '128.32.10.1'] as const;
const GB = ['81.2.69.142', '131.111.8.46', '129.67.1.1'] as const;
const EUROPE = ['193.99.144.80', '130.149.7.201', '194.199.90.1', '89.160.20.112', '145.97.39.155'] as const;
const JP = ['133.11.93.0', '202.12.27.33'] as const;

/** The partners whose links the demo prints. */
export const SHOP_PARTNERS: readonly [HistoryPartner, HistoryPartner] = [
  {
    name: 'The Steeping Room',
    email: 'hello@steeping-room.example',
    code: 'steeping-room',
    joins: 0,
    clicks: 22,
    signUps: 0.14,
    buys: 0.55,
    currency: 'USD',
    referrers: ['https://steeping-room.example/reviews/first-flush', 'https://www.google.com/'],
    addresses: [...US, ...GB],
  },
  {
    name: 'Slow Kitchen Letters',
    email: 'post@slow-kitchen.example',
    code: 'slow-kitchen',
    joins: 0,
    clicks: 14,
    signUps: 0.18,
    buys: 0.6,
    currency: 'USD',
    referrers: ['https://slow-kitchen.example/letters/41', 'https://slow-kitchen.example/letters/44'],
    addresses: [...US, '142.58.103.21', '129.78.5.8'],
  },
];

/** The partner for whom the demo prints a sign-in link to the partner portal. */
export const PORTAL_PARTNER: HistoryPartner = SHOP_PARTNERS[0];

export const OTHER_PARTNERS: readonly HistoryPartner[] = [
  {
    name: 'Discount Drops',
    email: 'deals@discount-drops.example',
    code: 'drops',
    joins: 2,
    clicks: 26,
    signUps: 0.05,
    buys: 0.35,
    currency: 'USD',
    reportsInBrowser: true,
    referrers: ['https://discount-drops.example/today', 'https://t.co/'],
    addresses: [...US, ...GB, ...EUROPE],
  },
  {
    name: 'Cups & Kettles',
    email: 'team@cups-and-kettles.example',
    code: 'cups',
    joins: 4,
    clicks: 16,
    signUps: 0.08,
    buys: 0.45,
    currency: 'USD',
    referrers: ['https://www.youtube.com/', 'https://m.youtube.com/'],
    addresses: [...US, ...GB],
  },
  {
    name: 'Teehaus am Fluss',
    email: 'hallo@teehaus-am-fluss.example',
    code: 'teehaus',
    joins: 9,
    clicks: 9,
    signUps: 0.17,
    buys: 0.5,
    currency: 'EUR',
    referrers: ['https://teehaus-am-fluss.example/', 'https://www.ecosia.org/'],
    addresses: EUROPE,
  },
  {
    name: 'お茶日記 Ocha Diary',
    email: 'mail@ocha-diary.example',
    code: 'ocha-diary',
    joins: 21,
    clicks: 7,
    signUps: 0.2,
    buys: 0.5,
    currency: 'JPY',
    referrers: ['https://ocha-diary.example/2/sencha', 'https://search.yahoo.co.jp/'],
    addresses: JP,
  },
];

/** Partners who wait for an approval at the end of the history. */
export const PENDING_PARTNERS = [
  { name: 'Morning Leaf Podcast', email: 'studio@morning-leaf.example', code: 'morning-leaf' },
  { name: 'The Tea Atlas', email: 'editors@tea-atlas.example', code: 'tea-atlas' },
] as const;

/** A second link of a partner, active only for some days of the history. */
export const SEASONAL_LINK = { partner: 'cups', code: 'cups-summer', from: 30, to: 62 } as const;
