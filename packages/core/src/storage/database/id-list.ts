/**
 * The maximum number of ids for one statement. SQLite allows 32,766 parameters, and a statement may contain each id
 * several times. For more ids, select all rows, and ignore those that are not needed.
 */
export const MAX_IDS_PER_STATEMENT = 5_000;

/**
 * Prepares ids for the right side of an SQL `IN`. An empty list is not valid SQL, so 0 is added, which is
 * never the id of a row.
 */
export function idList(ids: readonly number[]): number[] {
  return [0, ...ids];
}
