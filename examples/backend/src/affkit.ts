import { Affkit } from '@affkit/node';

let client: Affkit | undefined;

/** The one client, made when it is first needed: `next build` loads the routes without the secrets of production. */
export function getAffkit(): Affkit {
  client ??= new Affkit();
  return client;
}
