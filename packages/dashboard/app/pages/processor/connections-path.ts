/** Route of the processor connections. */
export const CONNECTIONS_PATH = '/api/advertiser/processor-connections';
