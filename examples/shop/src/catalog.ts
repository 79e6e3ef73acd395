/** A product of the shop. Prices are in US cents. */
export interface Product {
  readonly id: string;
  readonly name: string;
  readonly pitch: string;
  readonly priceCents: number;
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
  },
];

export function findProduct(id: unknown): Product | undefined {
  return PRODUCTS.find((product) => product.id === id);
}
