import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Affkit, type AffkitOptions, AffkitUnexpectedReplyError, systemRuntime } from '@affkit/node';
import { type Query, sqlOutbox } from '@affkit/node/outbox';
import { fileSpool } from '@affkit/node/spool';
import { type Call, makeCall } from './plan.ts';

/** Stores calls and sends them later. */
interface Store {
  put(call: Call): Promise<unknown>;
  /** Sends all stored calls. */
  flush(): Promise<void>;
  /** Closes the store, which must be empty. Returns the number of events that the server rejected. */
  close(): Promise<number>;
}

/** @param onHalted called when the delivery halts because the replies do not come from Affkit */
type OpenStore = (path: string, options: AffkitOptions, onHalted: () => void) => Store;

const RELAY_INTERVAL_MS = 100;

export const STORES = { spool: openSpool, outbox: openOutbox } satisfies Record<string, OpenStore>;

function openSpool(dir: string, options: AffkitOptions, onHalted: () => void): Store {
  const affkit = new Affkit({
    ...options,
    spool: fileSpool({ dir, pollMs: 100, leaseMs: 300, concurrency: 24, onHalted }),
  });
  return {
    put: (call) => makeCall(affkit, call),
    flush: async () => {
      // A flush fails if it takes too long or if the delivery halts, so it is repeated.
      do await affkit.flush().catch(() => {});
      while (affkit.stats()?.queued !== 0);
    },
    close: async () => {
      const dead = affkit.stats()?.dead ?? Number.NaN;
      await affkit.close();
      return dead;
    },
  };
}

function openOutbox(path: string, options: AffkitOptions, onHalted: () => void): Store {
  const affkit = new Affkit(options);
  const database = new DatabaseSync(path);
  const outbox = sqlOutbox({ dialect: 'sqlite', runtime: options.runtime ?? systemRuntime });
  database.exec(outbox.schema);
  const query: Query = (sql, values) => database.prepare(sql).all(...values);
  const count = (condition: string) =>
    Number(database.prepare(`select count(*) as rows from affkit_outbox where ${condition}`).get()?.['rows']);
  let isClosed = false;
  const relaying = (async () => {
    while (!isClosed) {
      const { heldUpBy } = await outbox.relay(affkit, query);
      if (heldUpBy instanceof AffkitUnexpectedReplyError) onHalted();
      await sleep(RELAY_INTERVAL_MS);
    }
  })();
  return {
    put: (call) =>
      makeCall(
        {
          lead: (input) => outbox.lead(query, input),
          sale: (input) => outbox.sale(query, input),
          refund: (input) => outbox.refund(query, input),
        },
        call,
      ),
    flush: async () => {
      while (count('refusal is null') > 0) await sleep(RELAY_INTERVAL_MS);
    },
    close: async () => {
      isClosed = true;
      await relaying;
      const dead = count('true');
      database.close();
      return dead;
    },
  };
}
