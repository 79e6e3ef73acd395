const again = 'Send the call again.';
const log =
  'An unexpected error. Send the call again. The reason is in the server’s log, next to the request id.';
const wait = 'The server was overloaded. The call can be sent again later.';
const tooMany = 'There were too many calls at once. The call can be sent again in a minute.';

/** What happened and what the user can do, by error code in the API. */
export const refusals: Readonly<Record<string, string>> = {
  affiliate_url_required: 'The call did not say which page was visited. Send the full address of the page.',
  invalid_affiliate_url:
    'The address of the visited page is not complete. Send the full address, with https:// and the domain.',
  aff_parameter_missing:
    'The visitor did not open the page through a partner’s link. Report only visits through such links.',
  referral_link_not_found:
    'No link has the code of this visit. Compare the code with those on the page Links.',
  link_inactive:
    'The link is switched off, or its partner is not approved. Activate the link on the page Links, or approve the partner.',
  invalid_referral_link: 'The partner of this link was deleted. Create a link for another partner.',
  origin_not_allowed:
    'The visit came from a website that the program does not allow. If the website is yours, add it in Settings.',
  origin_required:
    'The program accepts visits only from web pages, and this call did not come from a web page. Send it from a page, or change this in Settings.',
  page_not_shown:
    'The browser loaded the page in advance, and the visitor has not seen it yet. Nothing to do.',
  test_program_required: 'The test call did not name a program. Add the id of the program.',
  test_program_not_found: 'No program has the id in this test call. Check the id.',
  click_failed: log,
  lead_identifier_required: 'The call did not say who signed up. Send your own id of the customer.',
  lead_customer_not_found:
    'Affkit knows of no partner who sent this visitor. If no partner did, there is nothing to do. Otherwise, send the click id from the visitor’s cookie.',
  customer_of_other_program:
    'The visitor came through a link of another program. Use the tracking token of that program.',
  lead_already_recorded: 'This sign-up was already recorded. Nothing to do.',
  browser_leads_off:
    'This program accepts sign-ups only from your server. Report them from your server, or change this in Settings.',
  browser_key_not_allowed:
    'This program accepts customer ids only from your server. Report the sign-up from your server, or change this in Settings.',
  lead_failed: log,
  transaction_id_required:
    'The call did not contain the id of the payment. Send the id from your payment processor.',
  amount_cents_required:
    'The amount was missing, zero, or not a whole number. Send it in the smallest unit: 1999 for $19.99.',
  sale_customer_not_found:
    'Affkit does not know this customer. If no partner referred the customer, there is nothing to do. Otherwise, first report the sign-up with the same customer id.',
  no_affiliate_attribution:
    'The customer belongs to another program. Use the tracking token of that program.',
  no_partner_program:
    'The customer’s partner is not approved. Approve the partner, then send the sale again.',
  partner_required: 'The customer’s partner was deleted, so nobody earns a commission. Nothing to do.',
  duplicate_transaction: 'This payment was already recorded. Nothing to do.',
  transaction_id_taken:
    'Another program has a payment with this id, so the sale is not recorded. Add a prefix to your ids, and send the sale again.',
  commission_failed: 'The sale is recorded. Its commission follows within a minute. Nothing to do.',
  sale_failed: log,
  refund_transaction_id_required: 'The call did not say which sale was refunded. Send the id of the sale.',
  invalid_refund_amount:
    'The refunded amount is not a whole number. Send it in the smallest unit, or leave it out for a full refund.',
  refund_exceeds_sale:
    'The refund is larger than the amount that is left of the sale. Send at most that amount.',
  sale_not_found:
    'No sale has this id. If the sale was rejected because no partner referred the customer, there is nothing to do.',
  refund_failed: log,
  invalid_field: 'A field of the call has an invalid value. The original message says how to correct it.',
  invalid_json: 'The call could not be read. Send it as JSON.',
  body_too_large: 'The call was too large. Send less data.',
  request_timeout: `The call arrived too slowly. ${again}`,
  rate_limited: tooMany,
  unavailable: wait,
  internal_error: log,
};
