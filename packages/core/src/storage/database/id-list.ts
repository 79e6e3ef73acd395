/**
 * Prepares ids for the right side of an SQL `IN`. An empty list is not valid SQL, so the result also contains
 * 0, which is not the id of any row.
 */
export function idList(ids: readonly number[]): number[] {
  return [0, ...ids];
}
