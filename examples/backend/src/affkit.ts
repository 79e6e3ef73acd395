import { Affkit } from '@affkit/node';

let client: Affkit | undefined;

/**
 * The shared client, created on first use. Creating it at import time would break `next build`, which loads
 * the routes without the production secrets.
 */
export function getAffkit(): Affkit {
  client ??= new Affkit();
  return client;
}
