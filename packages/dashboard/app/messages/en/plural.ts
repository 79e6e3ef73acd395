import { formatCount } from '../../format/number.ts';

/** Formats a count with its noun, such as `1 partner` or `1,234 partners`. */
export const plural = (count: number, one: string, many: string): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
