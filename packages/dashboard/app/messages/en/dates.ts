/** A date in UTC. */
export interface DateParts {
  readonly year: number;
  /** 0 for January. */
  readonly month: number;
  readonly day: number;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export const shortDate = ({ month, day }: DateParts): string => `${MONTHS[month]} ${day}`;
export const date = (at: DateParts): string => `${shortDate(at)}, ${at.year}`;
export const monthOf = ({ month, year }: DateParts): string => `${MONTHS[month]} ${year}`;
/** @param clock hours and minutes, such as `14:05` */
export const dateTime = (at: DateParts, clock: string): string => `${shortDate(at)}, ${clock}`;
/** A range of two different dates. A year or month that both dates share is shown only once. */
export const dateRange = (from: DateParts, to: DateParts): string => {
  const start = from.year === to.year ? shortDate(from) : date(from);
  const end = from.year === to.year && from.month === to.month ? `${to.day}, ${to.year}` : date(to);
  return `${start}\u2009–\u2009${end}`;
};
