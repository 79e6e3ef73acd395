export { isCurrency } from './currency.ts';
export { currencyExponent } from './currency-exponent.ts';
export * from './emails.ts';
export { codeOfMessage, type DuplicateSaleBody, ERRORS, type ErrorBody, type ErrorCode } from './errors.ts';
export {
  ANY_TYPE,
  cutText,
  isStorable,
  MAX_AMOUNT_CENTS,
  MAX_ID_LENGTH,
  MAX_TITLE_LENGTH,
  MAX_URL_LENGTH,
  MAX_USER_AGENT_LENGTH,
} from './fields.ts';
export { readIsoTime } from './iso-time.ts';
export {
  CLICK_COOKIE,
  DETAIL_METADATA_KEYS,
  INVITE_TOKEN_PREFIX,
  MANAGEMENT_KEY_PREFIX,
  METADATA_KEYS,
  PARTNER_PARAM,
  RESET_CODE_PREFIX,
  SIGN_IN_CODE_PREFIX,
  TRACKING_TOKEN_PREFIX,
} from './names.ts';
export * from './queries/accounts.ts';
export * from './queries/breakdown.ts';
export * from './queries/csv.ts';
export * from './queries/customers.ts';
export * from './queries/management.ts';
export * from './queries/partner-import.ts';
export * from './queries/partner-portal.ts';
export * from './queries/payout-batches.ts';
export * from './queries/portal-figures.ts';
export { pageQuery, workspacePageQuery } from './queries/query-fields.ts';
export * from './queries/reads.ts';
export * from './queries/refusals.ts';
export * from './queries/series.ts';
export * from './queries/webhooks.ts';
export * from './replies/accounts.ts';
export * from './replies/breakdown.ts';
export * from './replies/bulk.ts';
export * from './replies/customers.ts';
export {
  createdReply,
  doneReply,
  duplicateSaleReply,
  errorReply,
  itemReply,
  listReply,
} from './replies/envelope.ts';
export * from './replies/events.ts';
export * from './replies/management.ts';
export * from './replies/partner-import.ts';
export * from './replies/partner-portal.ts';
export * from './replies/payout-batches.ts';
export * from './replies/payout-details.ts';
export * from './replies/payout-settings.ts';
export * from './replies/portal-figures.ts';
export * from './replies/program-page.ts';
export * from './replies/program-setup.ts';
export * from './replies/reads.ts';
export * from './replies/refusals.ts';
export * from './replies/series.ts';
export * from './replies/simulation.ts';
export * from './replies/tracking.ts';
export * from './replies/webhooks.ts';
export { ID_FIELDS, withoutAbsent } from './requests/absent.ts';
export * from './requests/bulk.ts';
export * from './requests/emails.ts';
export * from './requests/management.ts';
export * from './requests/partner-import.ts';
export * from './requests/payout-batches.ts';
export * from './requests/payout-details.ts';
export * from './requests/payout-settings.ts';
export * from './requests/payouts.ts';
export * from './requests/portal-links.ts';
export * from './requests/processor-connections.ts';
export * from './requests/program-page.ts';
export * from './requests/program-setup.ts';
export * from './requests/sign-in.ts';
export * from './requests/simulation.ts';
export * from './requests/tracking.ts';
export * from './requests/webhooks.ts';
export { parseRowId } from './row-id.ts';
export { type KeyScope, SCOPES, type Scope } from './scopes.ts';
export { strictFields, strictQuery } from './strict-fields.ts';
export { fromStripeUnits, toStripeUnits } from './stripe-units.ts';
export * from './webhook-events.ts';
