import { z } from 'zod';
import { idText, isStorable } from '../fields.ts';
import { readIsoTime } from '../iso-time.ts';
import { parseRowId } from '../row-id.ts';
import { strictQuery } from '../strict-fields.ts';

export const DAY_MS = 86_400_000;
const MAX_PAGE_SIZE = 100;
/** The largest page number. Larger numbers are reduced to it, so that the row offset is a safe integer. */
const MAX_PAGE = 10 ** 12;

/**
 * A query parameter. If the parameter is repeated, its first value is used. An empty value counts as absent.
 */
export function parameter<S extends z.ZodType>(
  schema: S,
  convert: (text: string) => unknown = (text) => text,
) {
  return z.preprocess((value) => {
    const text = firstParameterValue(value);
    if (typeof text !== 'string') return text;
    return text === '' ? undefined : convert(text);
  }, schema);
}

/** Returns the first value of a query parameter. `value` is an array if the parameter is repeated. */
export function firstParameterValue(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : value;
}

/**
 * A positive integer. A value above `max` is reduced to `max`. An empty value is rejected, although other parameters
 * treat it as absent.
 */
function positiveInteger(name: string, fallback: number, max: number) {
  const error = `${name} must be an integer of at least 1`;
  return z.preprocess((value) => {
    const text = firstParameterValue(value);
    return typeof text === 'string' && /^\d+$/.test(text) ? Math.min(Number(text), max) : text;
  }, z.int({ error }).min(1, { error }).default(fallback));
}

/** A query parameter with a fixed list of values. */
export function oneOf<const Words extends readonly string[]>(name: string, words: Words) {
  return z.enum(words, { error: `${name} must be one of ${words.join(', ')}` });
}

/** A query parameter with a list of values, separated by commas. Repeated values count once. */
export function listOf<const Words extends readonly [string, ...string[]]>(name: string, words: Words) {
  const isWord = (word: string): word is Words[number] => words.includes(word);
  return parameter(
    z
      .string()
      .meta({ examples: [words.slice(0, 2).join(',')] })
      .transform((text, context): Words[number][] => {
        const given = [...new Set(text.split(','))];
        const known = given.filter(isWord);
        if (known.length === given.length) return known;
        context.addIssue(`each of ${name} must be one of ${words.join(', ')}`);
        return z.NEVER;
      })
      .optional(),
  );
}

/**
 * A filter for rows that have the given value, which must be one of `words`. Without the parameter, all rows
 * match.
 */
export function choiceFilter<const Words extends readonly string[]>(name: string, words: Words) {
  return parameter(oneOf(name, words).optional());
}

/** A filter for rows that refer to the row with this id. Without the parameter, all rows match. */
export function idFilter(name: string) {
  const error = `${name} must be a positive integer`;
  return parameter(z.int({ error }).min(1, { error }).optional(), (text) => parseRowId(text) ?? text);
}

/** A filter for rows with this text id. Without the parameter, all rows match. */
export function textFilter(name: string) {
  return parameter(idText(name).optional());
}

const MAX_SEARCH_LENGTH = 100;

/** A text to search for. */
export function searchFilter() {
  return parameter(
    z
      .string({ error: 'q must be a string' })
      .max(MAX_SEARCH_LENGTH, { error: `q must be at most ${MAX_SEARCH_LENGTH} characters` })
      .refine(isStorable, { error: 'q must not contain NUL or lone surrogates' })
      .optional(),
  );
}

/**
 * The parameters that sort a list.
 * @param columns the columns to sort by; the first column is the default
 * @param note a sentence about the columns, for the API description
 */
export function sortFields<const Columns extends readonly [string, ...string[]]>(
  columns: Columns,
  { defaultOrder = 'desc', note }: { defaultOrder?: 'asc' | 'desc'; note?: string } = {},
) {
  const text = `The column to sort by. Defaults to \`${columns[0]}\`.`;
  return {
    sort: parameter(oneOf('sort', columns).default(() => columns[0])).describe(
      note === undefined ? text : `${text} ${note}`,
    ),
    order: parameter(oneOf('order', ['asc', 'desc']).default(defaultOrder)).describe(
      `Ascending or descending. Defaults to \`${defaultOrder}\`.`,
    ),
  };
}

/**
 * The start or end of a time range. Parsing converts it to epoch milliseconds. `dateOffsetMs` is added if the
 * value is a date without a time.
 */
export function timeBound(name: string, dateOffsetMs: number) {
  const error = `${name} must be an ISO 8601 date, or a date and time`;
  return z
    .string({ error })
    .meta({ examples: ['2026-01-31'] })
    .transform((text, context) => {
      const time = readIsoTime(text);
      if (time) return time.hasTime ? time.at : time.at + dateOffsetMs;
      context.addIssue(error);
      return z.NEVER;
    });
}

export const pageFields = {
  page: positiveInteger('page', 1, MAX_PAGE).describe('Page number, starting at 1.'),
  pageSize: positiveInteger('pageSize', 10, MAX_PAGE_SIZE).describe(
    'Rows per page. Values above 100 are lowered to 100. `meta` shows the number that was used.',
  ),
};

/** The pagination parameters of a trace. By default, a page is as large as possible. */
export const tracePageFields = {
  page: pageFields.page,
  pageSize: positiveInteger('pageSize', MAX_PAGE_SIZE, MAX_PAGE_SIZE).describe(
    'Steps per page. Values above 100 are lowered to 100. `meta` shows the number that was used.',
  ),
};

export const workspaceFields = {
  workspace_id: idFilter('workspace_id').describe(
    'Id of a workspace. Defaults to all workspaces that the caller may read.',
  ),
};

const BOUND_TEXT = 'or instant (ISO 8601, UTC unless it has a zone), inclusive.';

export const rangeFields = {
  dateFrom: parameter(timeBound('dateFrom', 0).optional()).describe(
    `Start of the range: a date (from 00:00 UTC) ${BOUND_TEXT}`,
  ),
  dateTo: parameter(timeBound('dateTo', DAY_MS - 1).optional()).describe(
    `End of the range: a date (until the end of its UTC day) ${BOUND_TEXT}`,
  ),
};

/** An exclusive lower bound. Parsing converts it to epoch milliseconds. */
export const afterField = parameter(timeBound('after', DAY_MS - 1).optional()).describe(
  'Lists only rows after this instant (ISO 8601, UTC unless it has a zone), or after the UTC day of this date.',
);

/** A filter that is on with `1`, and off with `0` or without the parameter. */
export function flagFilter(name: string) {
  return parameter(oneOf(name, ['0', '1']).default('0'));
}

interface TimeBounds {
  readonly dateFrom?: number | undefined;
  readonly dateTo?: number | undefined;
}

/** Checks the order of the bounds in an object with `rangeFields`. */
export const boundsInOrder = z.refine<TimeBounds>(
  ({ dateFrom = Number.NEGATIVE_INFINITY, dateTo = Number.POSITIVE_INFINITY }) => dateFrom <= dateTo,
  { error: 'dateFrom must not be after dateTo' },
);

/**
 * The query of the CSV export of a list: the same filters, without pagination. Checks across fields, such as
 * `boundsInOrder`, are not copied and must be added again.
 */
export function withoutPage<Shape extends z.ZodRawShape>({
  shape: { page: _page, pageSize: _pageSize, ...filters },
}: z.ZodObject<Shape>) {
  return strictQuery(filters);
}

/** The query of a list without filters. */
export const pageQuery = strictQuery(pageFields);

/** The query of a list that covers one workspace, or all workspaces of the caller. */
export const workspacePageQuery = strictQuery({ ...pageFields, ...workspaceFields });
