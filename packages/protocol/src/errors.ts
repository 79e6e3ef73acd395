interface ErrorSpec {
  readonly status: number;
  readonly message: string;
  /** What the caller can do. Set only if the fixed message does not say it. */
  readonly hint?: string;
}

/**
 * All errors of the service, each with its stable `code`, HTTP status and exact message. In a message, `…`
 * stands for text that is filled in when a request is rejected.
 */
export const ERRORS = {
  // click
  affiliate_url_required: { status: 400, message: 'affiliate_url is required' },
  invalid_affiliate_url: { status: 400, message: 'Invalid affiliate_url' },
  aff_parameter_missing: { status: 400, message: 'No aff parameter found in affiliate_url' },
  referral_link_not_found: { status: 400, message: 'Referral link not found' },
  invalid_referral_link: { status: 400, message: 'Invalid referral link configuration' },
  test_program_required: { status: 400, message: 'program_id is required in test mode' },
  test_program_not_found: { status: 400, message: 'Program not found' },
  origin_not_allowed: { status: 403, message: 'Origin not allowed' },
  // click and lead
  page_not_shown: {
    status: 425,
    message: 'The page has not been shown yet. Send the request again when the page is shown.',
  },
  // lead
  lead_identifier_required: { status: 400, message: 'click_id or customer_key is required' },
  lead_customer_not_found: {
    status: 400,
    message: 'Customer not found. Provide a valid click_id or customer_key.',
  },
  customer_of_other_program: { status: 400, message: 'Customer does not belong to this program' },
  lead_already_recorded: {
    status: 400,
    message: 'Customer status cannot be updated to lead. Current status: …',
  },
  origin_required: { status: 403, message: 'An Origin header is required by this program' },
  browser_leads_off: { status: 403, message: 'Browser leads are not allowed by this program' },
  browser_key_not_allowed: {
    status: 403,
    message: 'This program accepts customer_key only from its own server',
  },
  // sale
  transaction_id_required: { status: 400, message: 'transaction_id is required and must be a string' },
  amount_cents_required: { status: 400, message: 'amount_cents is required and must be a positive integer' },
  sale_customer_not_found: {
    status: 400,
    message: 'Customer not found. Provide customer_key or click_id.',
  },
  no_affiliate_attribution: {
    status: 400,
    message: 'No affiliate attribution found for this customer in this program',
  },
  no_partner_program: {
    status: 400,
    message: 'No partner-program relationship found for this customer',
  },
  partner_required: { status: 400, message: 'partnerId required to create commission' },
  duplicate_transaction: {
    status: 409,
    message: 'Duplicate transaction_id. This sale has already been recorded.',
  },
  transaction_id_taken: {
    status: 409,
    message: 'Duplicate transaction_id. This sale has already been recorded.',
    hint: 'Another program uses this transaction_id, so your sale was not recorded. Send it again with a different id, such as the name of your shop and the order id.',
  },
  commission_failed: { status: 500, message: 'Failed to create commission' },
  // refund
  refund_transaction_id_required: { status: 400, message: 'transaction_id is required' },
  invalid_refund_amount: { status: 400, message: 'refund_amount_cents must be a positive integer' },
  refund_exceeds_sale: { status: 400, message: 'refund_amount_cents exceeds the sale amount' },
  sale_not_found: { status: 404, message: 'Sale not found for transaction_id' },
  // credentials
  authorization_missing: {
    status: 401,
    message: 'Authorization header is missing or does not start with "Bearer "',
  },
  token_empty: { status: 401, message: 'The bearer token is empty' },
  token_invalid: {
    status: 401,
    message: 'No program has this tracking token. Use the current token of the program.',
  },
  token_wrong_type: {
    status: 401,
    message: 'Wrong type of credential: this route requires a program tracking token (aff_…)',
  },
  unauthenticated: { status: 401, message: 'Authentication required' },
  key_rejected: { status: 401, message: 'The management key is unknown, expired or revoked' },
  invalid_login: { status: 401, message: 'Invalid email or password' },
  login_rate_limited: { status: 429, message: 'Too many failed logins. Try again later.' },
  sign_in_code_invalid: {
    status: 401,
    message:
      'The sign-in link is unknown, expired or already used. Ask for a new link, or use your password.',
  },
  reset_code_invalid: {
    status: 400,
    message: 'The password reset link is unknown, expired or already used. Ask for a new one.',
  },
  origin_mismatch: {
    status: 403,
    message:
      'Browser sessions work only on pages of …. Open that URL. If the service has a different URL, set PUBLIC_URL, or the option publicUrl, to it.',
  },
  invite_invalid: { status: 400, message: 'The invitation is unknown, expired or already accepted' },
  password_change_required: {
    status: 403,
    message: 'Someone else has set your password. Replace it first, with POST /api/auth/password.',
  },
  password_required: {
    status: 403,
    message: 'Send your current password in `password` to confirm this change.',
  },
  password_wrong: { status: 403, message: 'The current password is not correct.' },
  forbidden: { status: 403, message: 'Forbidden' },
  owner_required: {
    status: 403,
    message:
      'Only users who own a workspace can create another one. Ask such a user to create it and add you as an owner, or ask the operator to set WORKSPACE_CREATION=anyone.',
  },
  scope_escalation: {
    status: 403,
    message:
      'A management key can change only itself, and cannot add scopes or programs. Send other changes as an owner or admin.',
  },
  // resources
  program_not_found: { status: 404, message: 'Program not found' },
  not_found: { status: 404, message: 'Not found' },
  workspace_not_found: { status: 404, message: 'Workspace not found' },
  workspace_required: { status: 400, message: 'workspace_id is required' },
  partner_id_required: { status: 400, message: 'partner_id is required' },
  conflict: { status: 409, message: 'Conflict' },
  currency_immutable: {
    status: 409,
    message: 'currency cannot be changed after the first sale of the program',
  },
  program_has_balance: {
    status: 409,
    message:
      'The program cannot be deleted while it has a partner balance, a pending payout, or an event that is not processed yet',
  },
  commission_state: { status: 409, message: 'Commission cannot be …. Current status: …' },
  debtor_required: {
    status: 409,
    message: 'A SEPA file requires your bank account. Enter it in the payout settings of the program.',
  },
  payout_provider_missing: {
    status: 409,
    message:
      'This Affkit service cannot pay the partners of this workspace through this provider. Ask the operator of the service to set it up, or use a file.',
  },
  payout_in_flight: {
    status: 409,
    message:
      'Payout … is being sent by …. Wait until its result is known. If the payout becomes unclear, import the result.',
  },
  payout_batch_state: { status: 409, message: 'Batch … cannot be cancelled, because ….' },
  payout_file_lost: {
    status: 409,
    message:
      'The payout details of this batch cannot be decrypted, because AFFKIT_SECRET has changed. Restore the secret.',
  },
  payout_state: { status: 409, message: 'Payout cannot be …. Current status: …' },
  short_link_taken: { status: 409, message: 'short_link is already in use' },
  slug_taken: { status: 409, message: 'slug is already in use' },
  // applications
  form_token_invalid: {
    status: 400,
    message: 'The form is older than 24 hours or belongs to another program. Load it again.',
  },
  form_too_early: {
    status: 429,
    message: 'The form was sent less than 3 seconds after it was loaded. Wait a moment and send it again.',
  },
  application_not_verified: {
    status: 400,
    message: 'The application was not accepted by the spam check. Try again.',
  },
  // emails
  email_link_invalid: {
    status: 400,
    message: 'The link is incomplete or has expired. Use the link in the newest email.',
  },
  email_not_set_up: {
    status: 409,
    message:
      'The service sends no email. Set SMTP_URL and MAIL_FROM on the server, or the option mailer of createAffkit.',
  },
  // webhooks
  webhook_signature_invalid: {
    status: 400,
    message: 'The webhook signature is missing, invalid or outside the time tolerance',
  },
  webhook_event_invalid: { status: 400, message: 'The body is not a valid event of the processor' },
  // Errors before a request reaches a route.
  malformed_request: { status: 400, message: 'The request is not valid HTTP' },
  request_timeout: { status: 408, message: 'The request did not arrive in time' },
  headers_too_large: { status: 431, message: 'Request headers too large' },
  // every route
  invalid_field: { status: 400, message: '…' },
  invalid_json: { status: 400, message: 'Invalid JSON body' },
  body_too_large: { status: 413, message: 'Request body too large' },
  route_not_found: { status: 404, message: 'Not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  rate_limited: { status: 429, message: 'Too many requests' },
  unavailable: { status: 503, message: 'The service is busy. Try again shortly.' },
  click_failed: { status: 500, message: 'Click tracking failed' },
  lead_failed: { status: 500, message: 'Lead tracking failed' },
  sale_failed: { status: 500, message: 'Sale tracking failed' },
  refund_failed: { status: 500, message: 'Refund tracking failed' },
  internal_error: { status: 500, message: 'Internal server error' },
} as const satisfies Record<string, ErrorSpec>;

/** A stable error code. Clients should branch on the code, never on the message. */
export type ErrorCode = keyof typeof ERRORS;

const codeByMessage = new Map<string, ErrorCode>();
for (const [code, spec] of Object.entries(ERRORS)) {
  if (!codeByMessage.has(spec.message)) codeByMessage.set(spec.message, code as ErrorCode);
}

/** Returns the first code with exactly this message, or `invalid_field`. */
export function codeOfMessage(message: string): ErrorCode {
  return codeByMessage.get(message) ?? 'invalid_field';
}

/** The body of every error reply. */
export interface ErrorBody {
  error: string;
  code: ErrorCode;
  request_id: string;
  /**
   * What the caller can do. Present only for errors whose fixed message does not say it.
   */
  hint?: string;
}

/**
 * The body of a 409 for a sale that is already recorded. The ids are present only if the sale belongs to the
 * caller's program.
 */
export interface DuplicateSaleBody extends ErrorBody {
  code: 'duplicate_transaction' | 'transaction_id_taken';
  message: string;
  statusCode: 409;
  sale_id?: number;
  commission_id?: number | null;
  /** Whether the request is an exact repetition of the recorded sale. */
  identical?: boolean;
}
