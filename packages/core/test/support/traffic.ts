import type { World } from './world.ts';

/** The requests that were acknowledged. */
export interface Acknowledged {
  readonly clickIds: string[];
  readonly leads: string[];
  readonly sales: string[];
}

export interface Traffic {
  /** The number of rounds that were acknowledged so far. A round is a click, a lead and a sale. */
  rounds(): number;
  /** Stops sending requests, and waits for the replies. @throws the first reply that was not a success */
  stop(): Promise<Acknowledged>;
}

/**
 * Sends clicks, leads and sales concurrently until `stop` is called. Half of the rounds use a customer of
 * `oldClickIds`, until all customers have been used.
 * @param worlds instances of the same service, between which the requests alternate
 * @param oldClickIds click ids of customers that already exist. Each is used once
 * @param name prefix of the customer keys. Two calls need different names
 */
export function startTraffic(
  worlds: readonly World[],
  oldClickIds: readonly string[],
  { senders = 12, name = 'live' } = {},
): Traffic {
  const sent: Acknowledged = { clickIds: [], leads: [], sales: [] };
  const old = [...oldClickIds];
  let isStopped = false;
  let rounds = 0;
  let failure: unknown = null;
  const send = async (sender: number) => {
    for (let round = 0; !isStopped; round++) {
      const world = worlds[(sender + round) % worlds.length] as World;
      const code = round % 3 === 0 ? 'ben' : 'anna';
      const existing = round % 2 === 0 ? old.pop() : undefined;
      const clickId = await world.click(code, existing === undefined ? {} : { existing_click_id: existing });
      sent.clickIds.push(clickId);
      const customer_key = `${name}-${sender}-${round}`;
      const lead = await world.track('lead', { click_id: clickId, customer_key });
      if (lead.status !== 200) throw new Error(`lead: ${JSON.stringify(lead)}`);
      sent.leads.push(clickId);
      const transaction_id = `t-${customer_key}`;
      const sale = await world.track('sale', { transaction_id, amount_cents: 1000 + round, customer_key });
      if (sale.status !== 200) throw new Error(`sale: ${JSON.stringify(sale)}`);
      sent.sales.push(transaction_id);
      rounds += 1;
    }
  };
  const all = Promise.all(
    Array.from({ length: senders }, (_, sender) =>
      send(sender).catch((error: unknown) => {
        failure ??= error;
        isStopped = true;
      }),
    ),
  );
  return {
    rounds: () => {
      if (failure) throw failure;
      return rounds;
    },
    stop: async () => {
      isStopped = true;
      await all;
      if (failure) throw failure;
      return sent;
    },
  };
}
