/** A time range in epoch milliseconds. Both bounds are inclusive, and null leaves that side open. */
export interface TimeRange {
  readonly from: number | null;
  readonly to: number | null;
}
