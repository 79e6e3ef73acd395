import { isRecord } from './input/check.ts';

type Body = Readonly<Record<string, unknown>>;

/**
 * What a response means:
 *
 * - `recorded`: Affkit has stored the event with this request, or has answered the lookup.
 * - `duplicate`: Affkit had stored the event before.
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
/** The documented errors of servers that send no codes. */
const CODES_BY_ERROR: Readonly<Record<string, string>> = {
  'click_id or customer_key is required': 'lead_identifier_required',
  'Customer not found. Provide a valid click_id or customer_key.': 'lead_customer_not_found',
  'Customer does not belong to this program': 'customer_of_other_program',
  'transaction_id is required and must be a string': 'transaction_id_required',
  'amount_cents is required and must be a positive integer': 'amount_cents_required',
  'Customer not found. Provide customer_key or click_id.': 'sale_customer_not_found',
  'No affiliate attribution found for this customer in this program': 'no_affiliate_attribution',
  'No partner-program relationship found for this customer': 'no_partner_program',
  'partnerId required to create commission': 'partner_required',
  'transaction_id is required': 'refund_transaction_id_required',
  'Sale not found for transaction_id': 'sale_not_found',
};

const isText = (value: unknown): value is string => typeof value === 'string';
const isAmount = (value: unknown) => typeof value === 'number';
const isId = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0;
const isTextList = (value: unknown) => Array.isArray(value) && value.every(isText);

/** Whether the body of a 200 to each route is the documented one. */
const SUCCESS_REPLIES = {
  sale: (body: Body) =>
    isTestEvent(body) ||
    (isId(body['sale_id']) &&
      (body['commission_id'] === null || isId(body['commission_id'])) &&
      isText(body['message'])),
  refund: (body: Body) => isTestEvent(body) || isRefund(body),
  lead: (body: Body) => isText(body['message']),
  exists: (body: Body) => isTextList(body['existing']) && isTextList(body['missing']),
};

/** Decides what a response to a request means. A proxy's error page never counts as a reply of Affkit. */
export function classifyReply(
  operation: keyof typeof SUCCESS_REPLIES,
  status: number,
  body: Body | undefined,
): ReplyKind {
  if (status === 200) {
    return body?.['success'] === true && SUCCESS_REPLIES[operation](body) ? 'recorded' : 'unexpected';
  }
  if (operation === 'sale' && status === 409 && isDuplicateSale(body)) return 'duplicate';
  if (isMeaningfulWithoutBody(status)) return 'failed';
  if (!isErrorReply(status, body)) return 'unexpected';
  const isRepeatedLead = operation === 'lead' && status === 400 && readCode(body) === 'lead_already_recorded';
  return isRepeatedLead ? 'duplicate' : 'failed';
}

/** Whether a status decides what to do, even if the body is missing. These are redirects and failures. */
export function isMeaningfulWithoutBody(status: number): boolean {
  // Browsers and some runtimes report a redirect that they must not follow as status 0.
  return status === 0 || (status >= 300 && status < 400) || status >= 500 || BUSY_STATUSES.has(status);
}

/** The error code of a body. Derives the code from the error text if the server sends no codes. */
export function readCode(body: Body | undefined): string | undefined {
  const { code, error } = body ?? {};
  if (typeof code === 'string') return code;
  if (typeof error !== 'string') return undefined;
  if (error.startsWith(REPEATED_LEAD)) return 'lead_already_recorded';
  return Object.hasOwn(CODES_BY_ERROR, error) ? CODES_BY_ERROR[error] : undefined;
}

function isRefund(body: Body): boolean {
  const { status, reason, message, deductionAmount, commission_id: commissionId } = body;
  if (status === 'no_commission') return isText(message);
  if (status === 'skipped') return isText(reason) && isId(commissionId);
  return (status === 'reversed' || status === 'refunded') && isAmount(deductionAmount) && isId(commissionId);
}

function isTestEvent({ message, data }: Body): boolean {
  if (!isText(message) || !isRecord(data)) return false;
  return data['test_mode'] === true && isId(data['eventId']) && isId(data['programId']);
}

/** Both documented forms: the fixed error text, or `error`, `message` and `statusCode: 409`. */
function isDuplicateSale(body: Body | undefined): boolean {
  const { error, message, statusCode, code } = body ?? {};
  if (!isText(error) || !DUPLICATE_CODES.has(code)) return false;
  return error === DUPLICATE_SALE || (isText(message) && statusCode === 409);
}

/**
 * Whether this is an error body of Affkit. Other frameworks also send `error`, but with `statusCode` or with
 * codes in another format.
 */
function isErrorReply(status: number, body: Body | undefined): boolean {
  const { error, code, statusCode } = body ?? {};
  if (!isText(error) || error === '' || statusCode !== undefined) return false;
  if (code !== undefined) return isText(code) && /^[a-z][a-z\d_]*$/.test(code);
  // The documentation gives no error texts for these two statuses, and neither of them discards an event.
  return status === 401 || status === 403 || readCode(body) !== undefined;
}
