/** The first-party cookie in which the tracker stores the click id. */
export const CLICK_COOKIE = 'service_click_id';

/** The query parameter of a referral link that contains the partner's code. */
export const PARTNER_PARAM = 'aff';

/** The metadata keys that an advertiser sets on checkouts and subscriptions at the payment processor. */
export const METADATA_KEYS = {
  clickId: 'service_click_id',
  customerKey: 'service_customer_key',
  programId: 'program_id',
} as const;

/**
 * The metadata keys for the product, the tax and the shipping costs. Some events of the payment processor contain these
 * details only as metadata.
 */
export const DETAIL_METADATA_KEYS = {
  productId: 'service_product_id',
  taxCents: 'service_tax_cents',
  shippingCents: 'service_shipping_cents',
} as const;

export const TRACKING_TOKEN_PREFIX = 'aff_';

export const MANAGEMENT_KEY_PREFIX = 'affk_';

export const INVITE_TOKEN_PREFIX = 'affi_';

export const SIGN_IN_CODE_PREFIX = 'affs_';

export const RESET_CODE_PREFIX = 'affr_';
