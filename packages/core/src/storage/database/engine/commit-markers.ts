/**
 * Returns an INSERT statement for commit markers. They get the server's time, because the clocks of processes
 * differ.
 * @param ids SQL of a query or `VALUES` list that returns the ids in its only column
 */
export function insertMarkers(ids: string): string {
  return `INSERT INTO commit_markers (id, created_at)
    SELECT id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM (${ids}) AS marked (id)`;
}
