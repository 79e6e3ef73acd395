import { Rejection } from '../rejection.ts';

const CUSTOMER_HINTS = {
  lead_customer_not_found:
    'No click has this click_id, and no customer of the program has this customer_key yet. The first lead of a customer needs the click_id from the cookie service_click_id.',
  sale_customer_not_found:
    'No customer of the program has this customer_key or click_id. Report the lead first, with the same customer_key, or send the click_id from the cookie service_click_id.',
} as const;

/**
 * Returns the rejection of a lead or sale whose customer does not exist. The API contract prescribes the
 * message, which asks for an id. If the request has a `customer_key`, the hint explains why this key is not
 * enough.
 */
export function unknownCustomerRejection(
  code: keyof typeof CUSTOMER_HINTS,
  { customer_key: customerKey }: { readonly customer_key?: string | undefined },
): Rejection {
  return new Rejection(
    code,
    undefined,
    customerKey === undefined ? {} : { details: { hint: CUSTOMER_HINTS[code] } },
  );
}
