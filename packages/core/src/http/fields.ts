import { Rejection } from '../rejection.ts';

const ROW_ID = /^[1-9]\d{0,14}$/;

/** The row id that a part of a path names; what is no such number names no row. */
export function readRowId(text: string | undefined): number | Rejection {
  return text !== undefined && ROW_ID.test(text) ? Number(text) : new Rejection('not_found');
}

/** `workspace_id` of a read's query. */
export function readWorkspaceId(query: URLSearchParams): number | undefined | Rejection {
  return readQueryId(query, 'workspace_id');
}

/** A row's id in a read's query; undefined where it names none. */
export function readQueryId(query: URLSearchParams, name: string): number | undefined | Rejection {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  return ROW_ID.test(text)
    ? Number(text)
    : new Rejection('invalid_field', `${name} must be a positive integer`);
}

/** One of a few words in a read's query; null where it names none. */
export function readChoice<Word extends string>(
  query: URLSearchParams,
  name: string,
  words: readonly Word[],
): Word | null | Rejection {
  const asked = query.get(name) || null;
  if (asked === null) return null;
  return (
    words.find((word) => word === asked) ??
    new Rejection('invalid_field', `${name} must be one of ${words.join(', ')}`)
  );
}
