/**
 * Stores markers of commits, by the server's clock, for it must be the same for all processes.
 * @param ids a list of rows, as SQL
 */
export function insertMarkers(ids: string): string {
  return `INSERT INTO commit_markers (id, created_at)
    SELECT id, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM (${ids}) AS marked (id)`;
}
