/** The API route of processor connections. */
export const CONNECTIONS_PATH = '/api/advertiser/processor-connections';
