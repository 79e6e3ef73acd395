import { formatMoney } from './money.ts';

/** The commission of most products, set when the affiliate program is created. */
export const COMMISSION = { type: 'percent', rate: 20 } as const;

/** A product of the shop. Prices are in US cents. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly pitch: string;
  readonly priceCents: number;
  /** The commission of this product, if it differs from `COMMISSION`. */
  readonly flatCommissionCents?: number;
}

export const PRODUCTS: readonly Product[] = [
  {
    id: 'sampler',
    name: 'First-flush sampler',
    pitch: 'Six spring teas, 25 g each, picked within one week.',
    priceCents: 1999,
  },
  {
    id: 'gongfu-set',
    name: 'Gongfu tea set',
    pitch: 'Gaiwan, pitcher and four cups of celadon-glazed stoneware.',
    priceCents: 4800,
  },
  {
    id: 'kettle',
    name: 'Cast-iron kettle',
    pitch: 'Holds 1.2 liters and stays hot for hours. Built for a lifetime, or two.',
    priceCents: 12_950,
    flatCommissionCents: 1500,
  },
];

export function findProduct(id: unknown): Product | undefined {
  return PRODUCTS.find((product) => product.id === id);
}

/** Describes what a partner earns for a product, e.g. `20% ($4.00)`. */
export function describeCommission({ priceCents, flatCommissionCents }: Product): string {
  if (flatCommissionCents !== undefined) return `${formatMoney(flatCommissionCents)} flat`;
  const cents = Math.round((priceCents * COMMISSION.rate) / 100);
  return `${COMMISSION.rate}% (${formatMoney(cents)})`;
}
