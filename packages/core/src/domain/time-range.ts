/**
 * A time range in epoch milliseconds. Both bounds are inclusive. A bound of null means no limit on that side.
 */
export interface TimeRange {
  readonly from: number | null;
  readonly to: number | null;
}
