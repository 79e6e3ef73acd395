import { formatCount } from '../../format/number.ts';

/** `1 partner`, `1,234 partners`. */
export const plural = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
