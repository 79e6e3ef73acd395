/**
 * One row per commit of a single shard within the last hour. Used only on Citus. The other columns carry the
 * statement of the transaction to the shard. A trigger runs it, and stores null instead.
 */
export interface ShardCommitMarkerTable {
  program_id: number;
  id: string;
  created_at: number;
}

/** A statement that runs on a shard. Used only on Citus. */
export interface ShardStatementTable {
  /** A hash of the other columns. */
  id: string;
  /** The types of the parameters, separated by commas. */
  types: string;
  /** `{name}` stands for the shard of the table `name`. */
  text: string;
}
