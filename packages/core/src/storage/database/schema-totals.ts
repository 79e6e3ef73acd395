import type { BreakdownMeasure, Dimension } from '../../domain/breakdown.ts';
import type { LinkMeasure, LinkTotalKind } from '../../domain/link-totals.ts';

export type Flag = 0 | 1;

/**
 * Measures with a currency, such as `revenue:USD` and `commission:USD`, are in the currency's smallest unit.
 */
export type DailyMeasure =
  | 'clicks'
  | 'leads'
  | 'sales'
  | 'signups'
  | 'first_purchases'
  | 'partners'
  | `revenue:${string}`
  | `commission:${string}`;

/**
 * One row of a counter. A counter has at most one row per slot, and its value is the sum of these rows. Processes add
 * to different slots if possible, so that they do not wait for each other's locks.
 */
export interface CounterTable {
  program_id: number;
  subject: 'link' | 'partner';
  subject_id: number;
  measure: 'clicks' | 'leads' | 'conversions';
  slot: number;
  value: number;
  /** The time of the latest counted event. */
  last_at: number;
}

export interface DailyTotalTable {
  program_id: number;
  /**
   * The id of a partner, 0 for the whole program, or -1 to -24 for an hour of the day; see `total-owner.ts`.
   */
  partner_id: number;
  day: number;
  measure: DailyMeasure;
  slot: number;
  value: number;
}

/**
 * The sum of a measure over 28 days. Triggers update it when `link_clicks` or the daily totals of partners change. The
 * newest clicks may be missing.
 */
export interface PeriodTotalTable {
  program_id: number;
  owner: 'partner' | 'link';
  /** Never `signups` or `first_purchases`. */
  measure: DailyMeasure;
  /** The id of the partner or link. */
  owner_id: number;
  /** The number of the period. Periods are 28 days long, and period 0 starts at the epoch. */
  period: number;
  value: number;
}

/** The daily total of one value of a dimension, such as a country. A job computes the totals from events. */
export interface BreakdownTable {
  program_id: number;
  dimension: Dimension;
  day: number;
  /** 1 in the row that sums up all values without a row of their own. */
  is_other: Flag;
  /** Empty when the value is unknown, or when `is_other` is 1. */
  value: string;
  measure: BreakdownMeasure;
  total: number;
}

/** The ids of the last events that are counted in `breakdowns`. */
export interface BreakdownProgressTable {
  /** On SQLite, a single row with program 0 covers all programs. */
  program_id: number;
  click_id: number;
  lead_id: number;
  sale_id: number;
  as_of: number | null;
}

/** The number of clicks on a link on one UTC day. A job counts them, so the newest clicks may be missing. */
export interface LinkClickTable {
  program_id: number;
  link_id: number;
  day: number;
  clicks: number;
}

/** The id of the last click that is counted in `link_clicks`. */
export interface LinkClickProgressTable {
  /** On SQLite, a single row with program 0 covers all programs. */
  program_id: number;
  click_id: number;
  /** All clicks that were stored before this time are counted. Null until all have been counted once. */
  as_of: number | null;
}

/** The daily total of a link, or of one of the link's sub-ids. A job computes it from events. */
export interface LinkTotalTable {
  program_id: number;
  link_id: number;
  kind: LinkTotalKind;
  day: number;
  /** Empty in the rows of the whole link, and in the rows that sum up sub-ids without a row of their own. */
  sub_id: string;
  measure: LinkMeasure;
  total: number;
}

/** Ids of the last events that are counted in `link_totals`. */
export interface LinkTotalProgressTable {
  /** On SQLite, a single row with program 0 covers all programs. */
  program_id: number;
  click_id: number;
  lead_id: number;
  sale_id: number;
  commission_id: number;
  as_of: number | null;
}
