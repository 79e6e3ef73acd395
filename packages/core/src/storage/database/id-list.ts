/**
 * Prepares ids for the right side of an SQL `IN`. An empty list is not valid SQL, so 0 is added, which is
 * never the id of a row.
 */
export function idList(ids: readonly number[]): number[] {
  return [0, ...ids];
}
