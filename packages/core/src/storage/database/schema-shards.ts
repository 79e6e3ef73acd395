/**
 * One row per transaction that wrote a single shard and was committed within the last hour. Used only on Citus.
 * The table also has columns that this type does not list. An insert uses them to send the transaction's statement to
 * the shard. There, a trigger runs the statement and sets these columns to null.
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
