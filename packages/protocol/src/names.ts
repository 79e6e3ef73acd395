/** First-party cookie in which the tracker keeps the click id. */
export const CLICK_COOKIE = 'service_click_id';

/** Query parameter of a partner's link that carries the referral code. */
export const PARTNER_PARAM = 'aff';

/** Metadata keys that an advertiser sets on processor checkouts and subscriptions. */
export const METADATA_KEYS = {
  clickId: 'service_click_id',
  customerKey: 'service_customer_key',
  programId: 'program_id',
} as const;

/** Prefix of a program's tracking token. */
export const TRACKING_TOKEN_PREFIX = 'aff_';

/** Prefix of a management key. */
export const MANAGEMENT_KEY_PREFIX = 'affk_';

/** Prefix of an invitation's token. */
export const INVITE_TOKEN_PREFIX = 'affi_';
