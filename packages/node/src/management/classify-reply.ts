import { isRecord } from '../input/check.ts';
import { isErrorReply, isMeaningfulWithoutBody, type ReplyKind, readCode } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';

type RouteReplyBody = Readonly<Record<string, unknown>>;

/**
 * Decides what a reply of a management route means. As for tracking routes, only a documented reply counts.
 * The fields of a row are not checked, so that the client works with older and newer servers.
 *
 * @param isFile whether the body is a CSV file, which has not been read
 */
export function classifyRouteReply(
  endpoint: Pick<Endpoint, 'route' | 'kind'>,
  { status, body }: { readonly status: number; readonly body: RouteReplyBody | undefined },
  isFile: boolean,
): ReplyKind {
  if (status === 200 || status === 201) {
    return isFile || (body !== undefined && isRouteSuccess(endpoint, body)) ? 'recorded' : 'unexpected';
  }
  if (isMeaningfulWithoutBody(status)) return 'failed';
  // Every error of these routes has a code. The pages and the JSON of proxies have none.
  return isErrorReply(status, body) && readCode(body) !== undefined ? 'failed' : 'unexpected';
}

function isRouteSuccess({ route, kind }: Pick<Endpoint, 'route' | 'kind'>, body: RouteReplyBody): boolean {
  const { success, data, meta } = body;
  // These reads have `data` only, as the API documents.
  if (success !== true && !(success === undefined && route.startsWith('GET /api/tracking/'))) return false;
  switch (kind) {
    case 'csv':
      return false;
    case 'done':
      return true;
    case 'list':
      return Array.isArray(data) && isRecord(meta) && isPagination(meta['pagination']);
    case 'data':
    case 'reply':
      return typeof data === 'object' && data !== null;
  }
}

function isPagination(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['page', 'pageSize', 'pageCount', 'total'].every((name) => Number.isSafeInteger(value[name]))
  );
}
