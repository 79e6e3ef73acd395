import { isRecord } from '../input/check.ts';
import { isErrorReply, isMeaningfulWithoutBody, type ReplyKind, readCode } from '../reply.ts';
import type { Endpoint } from './endpoint.ts';

type RouteReplyBody = Readonly<Record<string, unknown>>;

/**
 * Decides what a reply of a management route means. As on tracking routes, an undocumented reply is `unexpected`.
 * The fields of a row are not checked, so that the client works with older and newer servers.
 *
 * @param isFile whether the reply is a CSV file with an unread body
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
  // Every Affkit error of these routes has a code. The error replies of proxies have none.
  return isErrorReply(status, body) && readCode(body) !== undefined ? 'failed' : 'unexpected';
}

function isRouteSuccess({ route, kind }: Pick<Endpoint, 'route' | 'kind'>, body: RouteReplyBody): boolean {
  const { success, data, meta } = body;
  // The documented replies of these GET routes contain `data` without `success`.
  if (success !== true && !(success === undefined && route.startsWith('GET /api/tracking/'))) return false;
  switch (kind) {
    case 'csv':
      return false;
    case 'nothing':
      return true;
    case 'list':
      return Array.isArray(data) && isRecord(meta) && isPagination(meta['pagination']);
    case 'data':
    case 'reply':
      // Some replies document `data: null`, such as those about payout details that do not exist.
      return typeof data === 'object';
  }
}

function isPagination(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['page', 'pageSize', 'pageCount', 'total'].every((name) => Number.isSafeInteger(value[name]))
  );
}
