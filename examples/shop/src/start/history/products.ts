import { PRODUCTS } from '../../catalog.ts';

export interface HistoryProduct {
  readonly id: string;
  /** Price in the smallest unit of each currency in which the product is sold. */
  readonly prices: Readonly<Partial<Record<'USD' | 'EUR' | 'JPY', number>>>;
}

/** A subscription that renews every month. It is sold in the history, but not in the shop. */
export const TEA_CLUB = { id: 'tea-club', prices: { USD: 2400, EUR: 2300 } } as const;

/** Costs less than the program's minimum, so that its sales earn no commission. */
const TASTER = { id: 'taster', prices: { USD: 300, EUR: 300, JPY: 450 } } as const;
export const MIN_SALE_CENTS = 500;

const FOREIGN_PRICES: Readonly<Record<string, HistoryProduct['prices']>> = {
  sampler: { EUR: 1899, JPY: 2980 },
  'gongfu-set': { EUR: 4500, JPY: 6900 },
};

const catalog = PRODUCTS.map(
  ({ id, priceCents }): HistoryProduct => ({ id, prices: { USD: priceCents, ...FOREIGN_PRICES[id] } }),
);

/** The products that customers buy. A product that they buy more often occurs several times. */
export const ASSORTMENT: readonly HistoryProduct[] = [
  ...catalog,
  ...catalog,
  ...catalog.slice(0, 2),
  TEA_CLUB,
  TEA_CLUB,
  TASTER,
];
