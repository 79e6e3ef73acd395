/** Route of the API keys. */
export const KEYS_PATH = '/api/advertiser/api-keys';
