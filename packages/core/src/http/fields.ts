import { Rejection } from '../rejection.ts';

/** The row id that a part of a path names; what is no such number names no row. */
export function readRowId(text: string | undefined): number | Rejection {
  return text !== undefined && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : new Rejection('not_found');
}

/** `workspace_id` of a read's query. */
export function readWorkspaceId(query: URLSearchParams): number | undefined | Rejection {
  return readQueryId(query, 'workspace_id');
}

/** A row's id in a read's query; undefined where it names none. */
export function readQueryId(query: URLSearchParams, name: string): number | undefined | Rejection {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  return /^[1-9]\d{0,14}$/.test(text)
    ? Number(text)
    : new Rejection('invalid_field', `${name} must be a positive integer`);
}
