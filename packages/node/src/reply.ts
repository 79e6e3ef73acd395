import { isRecord } from './input/check.ts';

type EventReplyBody = Readonly<Record<string, unknown>>;

/**
 * What a response means:
 *
 * - `recorded`: this request has stored the event, or Affkit has answered the lookup.
 * - `duplicate`: Affkit had stored the event before this request.
 * - `failed`: Affkit rejected the event, or the status alone says what to do, e.g. a redirect or a 503.
 * - `unexpected`: the body is not a documented reply, so something other than Affkit has answered.
 */
export type ReplyKind = 'recorded' | 'duplicate' | 'failed' | 'unexpected';

const BUSY_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const DUPLICATE_SALE = 'Duplicate transaction_id. This sale has already been recorded.';
const DUPLICATE_CODES: ReadonlySet<unknown> = new Set([
  undefined,
  'duplicate_transaction',
  'transaction_id_taken',
]);
const REPEATED_LEAD = 'Customer status cannot be updated to lead.';
/**
 * Matches the documented error texts of servers that send no error codes. Error texts of proxies contain none of these
 * words.
 */
const DOCUMENTED_ERROR = /_(id|cents|key)|customer|partnerId/i;

const REFUND_STATUSES: readonly unknown[] = ['reversed', 'refunded', 'skipped', 'no_commission'];

const isText = (value: unknown): value is string => typeof value === 'string';
const isId = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);

/** Whether the body of a 200 response matches the API documentation. */
function isEventReply(operation: 'sale' | 'refund' | 'lead' | 'exists', body: EventReplyBody): boolean {
  const { success, message, data, status, sale_id: saleId, commission_id: commissionId } = body;
  if (success !== true) return false;
  if (operation === 'exists') return isTextList(body['existing']) && isTextList(body['missing']);
  if (operation === 'refund' && data === undefined) {
    return REFUND_STATUSES.includes(status) && (status === 'no_commission' || isId(commissionId));
  }
  if (!isText(message)) return false;
  if (isRecord(data)) return data['test_mode'] === true && isId(data['eventId']) && isId(data['programId']);
  return operation === 'lead' || (isId(saleId) && (commissionId === null || isId(commissionId)));
}

/** Decides what a response to a request means. A proxy's error page never counts as a reply of Affkit. */
export function classifyReply(
  operation: 'sale' | 'refund' | 'lead' | 'exists',
  status: number,
  body: EventReplyBody | undefined,
): ReplyKind {
  if (status === 200) {
    return body !== undefined && isEventReply(operation, body) ? 'recorded' : 'unexpected';
  }
  if (operation === 'sale' && status === 409 && isDuplicateSale(body)) return 'duplicate';
  if (isMeaningfulWithoutBody(status)) return 'failed';
  if (!isErrorReply(status, body)) return 'unexpected';
  const isRepeatedLead = operation === 'lead' && status === 400 && readCode(body) === 'lead_already_recorded';
  return isRepeatedLead ? 'duplicate' : 'failed';
}

/** Whether the status alone is enough to decide what to do. True for redirects, server errors, 408, 425 and 429. */
export function isMeaningfulWithoutBody(status: number): boolean {
  return isRedirect(status) || status >= 500 || BUSY_STATUSES.has(status);
}

/** With `redirect: 'manual'`, browsers and some runtimes report a redirect as status 0. */
export function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

/** The error code of a body. */
export function readCode(body: EventReplyBody | undefined): string | undefined {
  const { code, error } = body ?? {};
  if (isText(code)) return code;
  // Servers without error codes report a repeated lead only by this text.
  return isText(error) && error.startsWith(REPEATED_LEAD) ? 'lead_already_recorded' : undefined;
}

/**
 * Recognizes both documented replies to a duplicate sale: one has a fixed error text, the other has `error`,
 * `message` and `statusCode: 409`.
 */
function isDuplicateSale(body: EventReplyBody | undefined): boolean {
  const { error, message, statusCode, code } = body ?? {};
  if (!isText(error) || !DUPLICATE_CODES.has(code)) return false;
  return error === DUPLICATE_SALE || (isText(message) && statusCode === 409);
}

/**
 * Whether this is an error body of Affkit. Other frameworks also send `error`, but with `statusCode` or with
 * codes in another format.
 */
export function isErrorReply(status: number, body: EventReplyBody | undefined): boolean {
  const { error, code, statusCode } = body ?? {};
  if (!isText(error) || error === '' || statusCode !== undefined) return false;
  if (code !== undefined) return isText(code) && /^[a-z][a-z\d_]*$/.test(code);
  // The documentation gives no error texts for 401 and 403, so any text is accepted. If a proxy sent the reply, no
  // event is lost, because neither status makes the client discard an event.
  return status === 401 || status === 403 || DOCUMENTED_ERROR.test(error);
}
