/**
 * Defines the visit columns of `click_events`. Each column is nullable text, and null means unknown. The row
 * type, the inserts of both engines, and the event list are derived from this object, and keep the order of its
 * columns. To add a column, add a line here and a migration.
 */
const VISIT_COLUMNS = {
  session_id: { field: 'sessionId', isListed: true },
  sub_id: { field: 'subId', isListed: true },
  page_url: { field: 'pageUrl', isListed: true },
  referrer_url: { field: 'referrerUrl', isListed: true },
  geo_country: { field: 'geoCountry', isListed: true },
  geo_region: { field: 'geoRegion', isListed: true },
  geo_city: { field: 'geoCity', isListed: true },
  device_type: { field: 'deviceType', isListed: true },
  device_os: { field: 'deviceOs', isListed: true },
  browser_name: { field: 'browserName', isListed: true },
  /** The page title, screen size, language, and time zone that the page sent, as JSON. */
  details: { field: 'details', isListed: false },
} as const satisfies Readonly<Record<string, VisitColumnSpec>>;

interface VisitColumnSpec {
  readonly field: string;
  /** Whether the event list of the API contains the column. */
  readonly isListed: boolean;
}

type VisitColumnSpecs = typeof VISIT_COLUMNS;
type VisitColumn = keyof VisitColumnSpecs;
type VisitField = VisitColumnSpecs[VisitColumn]['field'];
type ListedColumn = {
  [Column in VisitColumn]: VisitColumnSpecs[Column]['isListed'] extends true ? Column : never;
}[VisitColumn];

export type VisitColumns = { [Column in VisitColumn]: string | null };

export type VisitFields = { [Field in VisitField]: string | null };

// The cast is needed because TypeScript types the result of `Object.keys` as `string[]`.
const ALL_VISIT_COLUMNS = Object.keys(VISIT_COLUMNS) as VisitColumn[];
/** The names of the columns in the event list. */
export const LISTED_COLUMNS: readonly ListedColumn[] = ALL_VISIT_COLUMNS.filter(
  (column): column is ListedColumn => VISIT_COLUMNS[column].isListed,
);

/** The column names, in the order of `VISIT_FIELDS`. */
export const VISIT_COLUMN_NAMES: readonly string[] = ALL_VISIT_COLUMNS;

/** The field names, in the order of `VISIT_COLUMN_NAMES`. */
export const VISIT_FIELDS: readonly VisitField[] = ALL_VISIT_COLUMNS.map(
  (column) => VISIT_COLUMNS[column].field,
);

/** The Postgres type of each visit field as a statement parameter. */
export const VISIT_FIELD_TYPES = Object.fromEntries(VISIT_FIELDS.map((field) => [field, 'text'])) as Readonly<
  Record<VisitField, 'text'>
>;

/** Converts visit fields to columns of `click_events`. */
export function toVisitColumns(fields: VisitFields): VisitColumns {
  return Object.fromEntries(
    ALL_VISIT_COLUMNS.map((column) => [column, fields[VISIT_COLUMNS[column].field]]),
  ) as VisitColumns;
}

/** Selects the visit columns that are in the event list. */
export function pickListedColumns(row: VisitColumns): Pick<VisitColumns, ListedColumn> {
  return Object.fromEntries(LISTED_COLUMNS.map((column) => [column, row[column]])) as Pick<
    VisitColumns,
    ListedColumn
  >;
}
