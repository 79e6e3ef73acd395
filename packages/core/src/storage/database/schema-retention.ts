import type { Month } from '../../domain/month.ts';

/** A UTC month whose clicks were removed, or are being removed. The oldest months are removed first. */
export interface RemovedMonthTable {
  month: Month;
  /** The first instant after the month. */
  ends_at: number;
  /** The number of clicks that were stored in the month, without test clicks. */
  clicks: number;
  /** The SHA-256 of the archive. Null when the clicks were removed without an archive. */
  archive_sha256: string | null;
  started_at: number;
  /** Null while clicks are being removed. */
  removed_at: number | null;
}

/** Has at most one row. */
export interface InstallationTable {
  id: 1;
  /** A random id, which archives contain. */
  uuid: string;
}
