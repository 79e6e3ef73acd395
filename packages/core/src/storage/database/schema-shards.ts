/**
 * One row per transaction that wrote a single shard and was committed within the last hour. Used only on Citus.
 * The table has more columns than this type lists: an insert uses them to send the statement of the transaction to
 * the shard. A trigger on the shard runs the statement, and sets these columns to null.
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
