/** Bounds of a time range in epoch milliseconds, both inclusive; null is open. */
export interface TimeRange {
  readonly from: number | null;
  readonly to: number | null;
}
