/** The API route of management keys. */
export const KEYS_PATH = '/api/advertiser/api-keys';
