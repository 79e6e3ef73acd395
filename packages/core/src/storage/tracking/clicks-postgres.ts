import {
  type CachedLinks,
  type ClickBatch,
  type ClickCache,
  type ClickedCustomer,
  type ClickKeyRef,
  type ClickSession,
  type ClickStore,
  type ClickSums,
  type LinkFacts,
  type NewVisits,
  StaleCache,
  type StoredReply,
} from '../database/click-store.ts';
import { arrayText } from '../database/row-parameters.ts';
import { ClickShards } from './click-shards.ts';
import {
  ADD_COUNTERS,
  ADD_DAYS,
  CLICK_EVENT_PARAMETERS,
  COUNTER_PARAMETERS,
  CUSTOMER_PARAMETERS,
  CUSTOMER_REF_PARAMETERS,
  DAILY_SUM_PARAMETERS,
  IDENTIFIED_CUSTOMER_PARAMETERS,
  INSERT_CUSTOMERS,
  INSERT_EVENTS,
  INSERT_EVENTS_OF_CUSTOMERS,
  INSERT_IDENTIFIED_CUSTOMERS,
  INSERT_KEYS,
  KEY_PARAMETERS,
  KEY_REF_PARAMETERS,
  LOCK_CUSTOMERS,
  LOCK_CUSTOMERS_OF_PROGRAM,
  NEXT_CUSTOMER_IDS,
  SELECT_CUSTOMERS,
  SELECT_CUSTOMERS_OF_PROGRAM,
  SELECT_DIRECTORY,
  SELECT_KEYS,
  SELECT_LINKS,
  SELECT_LINKS_OF_PROGRAM,
  TOUCH_PARAMETERS,
  UPDATE_CUSTOMERS,
  UPDATE_CUSTOMERS_OF_PROGRAM,
} from './clicks-postgres-statements.ts';
import { visitStatement } from './clicks-postgres-visits.ts';
import { shardVisitStatement } from './clicks-shard-visits.ts';
import { type LinkFactsRow, LinkReader } from './link-facts.ts';

const DIVISION_BY_ZERO = '22012';
const UNIQUE_VIOLATION = '23505';
/** Raised by `affkit_run_on_shard`: the statement is not registered, or the programs are on different shards. */
const STALE_SHARD = ['AFK01', 'AFK02'];

interface StoredLink extends LinkFactsRow {
  readonly fingerprint: string;
}

interface DirectoryEntry {
  readonly code: string;
  readonly programId: number;
  readonly linkId: number;
}

/**
 * The click store of Postgres. The number of statements does not depend on the number of clicks. On a Citus cluster, it
 * depends on the number of programs.
 */
export class PostgresClickStore implements ClickStore {
  readonly cache: ClickCache = {
    get: (codes) => {
      if (!this.#session.canRunSingleStatement) return null;
      return this.#shards.isCluster ? this.#shards.getOnOneShard(codes) : this.#shards.links.get(codes);
    },
    save: (visits, cached) => this.#saveFromCache(visits, cached),
  };
  readonly #session: ClickSession;
  readonly #shards: ClickShards;
  // Each cached link refers to a list of origins that the reader has parsed and cached. When the reader clears its
  // cache to free memory, clear the cached links too. Otherwise, they would keep the lists in memory.
  readonly #links = new LinkReader(() => this.#shards.clear());

  /** @param shards the cache that all click connections share. @default a cache for this connection only */
  constructor(session: ClickSession, shards = new ClickShards()) {
    this.#session = session;
    this.#shards = shards;
  }

  async load(
    codes: readonly string[],
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<{ links: LinkFacts[]; customers: ClickedCustomer[] }> {
    const [links, found] = await Promise.all([this.#loadLinks(codes), this.#lockCustomers(customers)]);
    const read = this.#read(codes, links);
    await this.#shards.load(this.#session, read);
    return {
      links: read,
      customers: found,
    };
  }

  /** On a Citus cluster, the directory and the links are on different servers, so they are not joined. */
  async #loadLinks(codes: readonly string[]): Promise<readonly StoredLink[]> {
    const { run, isCluster } = this.#session;
    if (!isCluster) return (await run(SELECT_LINKS, [arrayText(codes)])).rows as StoredLink[];
    const directory = (await run(SELECT_DIRECTORY, [arrayText(codes)])).rows as DirectoryEntry[];
    const results = await Promise.all(
      groupByProgram(directory).map(([programId, ofProgram]) =>
        run(SELECT_LINKS_OF_PROGRAM, [programId, arrayText(ofProgram.map(({ linkId }) => linkId))]),
      ),
    );
    const links = results.flatMap(({ rows }) => rows as Omit<StoredLink, 'code'>[]);
    const byId = new Map(links.map((link) => [link.linkId, link]));
    return directory.flatMap(({ code, linkId }) => {
      const link = byId.get(linkId);
      return link ? [{ ...link, code }] : [];
    });
  }

  async #lockCustomers(
    customers: readonly { programId: number; clickId: string }[],
  ): Promise<ClickedCustomer[]> {
    if (customers.length === 0) return [];
    const { run, isCluster } = this.#session;
    // Take the locks in a separate statement. A statement that both locks and reads may have to wait for another
    // writer, which may change the link of the customer. After the wait, the statement would see the changed customer,
    // but still the link from before the wait. The two would not match, so the row would be missing in the result.
    const queryResults = isCluster
      ? groupByProgram(customers).flatMap(([programId, ofProgram]) => {
          const values = [programId, arrayText(ofProgram.map(({ clickId }) => clickId))];
          return [run(LOCK_CUSTOMERS_OF_PROGRAM, values), run(SELECT_CUSTOMERS_OF_PROGRAM, values)];
        })
      : [LOCK_CUSTOMERS, SELECT_CUSTOMERS].map((text) =>
          run(text, CUSTOMER_REF_PARAMETERS.arrays(customers)),
        );
    const found = (await Promise.all(queryResults)).filter((_, index) => index % 2 === 1);
    return found.flatMap(({ rows }) => rows as ClickedCustomer[]);
  }

  async claimKeys(keys: readonly StoredReply[], now: number): Promise<StoredReply[]> {
    const claimed: StoredReply[] = [];
    let remaining = keys;
    // If a key was neither inserted nor found, it has just expired. The next round can claim it.
    while (remaining.length > 0) {
      const inserted = await this.#session.run(INSERT_KEYS, [now, ...KEY_PARAMETERS.arrays(remaining)]);
      remaining = withoutKeys(remaining, inserted.rows as ClickKeyRef[]);
      if (remaining.length === 0) break;
      const found = await this.findStoredReplies(remaining);
      claimed.push(...found);
      remaining = withoutKeys(remaining, found);
    }
    return claimed;
  }

  async findStoredReplies(keys: readonly ClickKeyRef[]): Promise<StoredReply[]> {
    const { rows } = await this.#session.run(SELECT_KEYS, KEY_REF_PARAMETERS.arrays(keys));
    return rows as StoredReply[];
  }

  async save(batch: ClickBatch): Promise<void> {
    if (await this.#shards.detect(this.#session)) return await this.#saveOnCluster(batch);
    const { customers, touches, events, now } = batch;
    const { run } = this.#session;
    await this.#session.deferToCommit(
      Promise.all([
        customers.length > 0 && run(INSERT_CUSTOMERS, [now, ...CUSTOMER_PARAMETERS.arrays(customers)]),
        touches.length > 0 && run(UPDATE_CUSTOMERS, TOUCH_PARAMETERS.arrays(touches)),
        run(INSERT_EVENTS, [now, ...CLICK_EVENT_PARAMETERS.arrays(events)]),
      ]),
    );
  }

  /** Generates the ids of new customers first, because on Citus, the INSERT of the events cannot look up the ids. */
  async #saveOnCluster({ customers, touches, events, now }: ClickBatch): Promise<void> {
    const { run } = this.#session;
    const { rows } = await run(NEXT_CUSTOMER_IDS, [customers.length]);
    const ids = rows as { id: number }[];
    const identified = customers.map((customer, index) => ({ ...customer, id: ids[index]?.id ?? 0 }));
    const idOf = new Map(identified.map(({ clickId, id }) => [clickId, id]));
    const owned = events.map((event) => ({
      ...event,
      customerId: event.customerId ?? idOf.get(event.clickId) ?? null,
    }));
    await this.#session.deferToCommit(
      Promise.all([
        identified.length > 0 &&
          run(INSERT_IDENTIFIED_CUSTOMERS, [now, ...IDENTIFIED_CUSTOMER_PARAMETERS.arrays(identified)]),
        ...groupByProgram(touches).map(([programId, ofProgram]) =>
          run(UPDATE_CUSTOMERS_OF_PROGRAM, [...TOUCH_PARAMETERS.arrays(ofProgram), programId]),
        ),
        run(INSERT_EVENTS_OF_CUSTOMERS, [now, ...CLICK_EVENT_PARAMETERS.arrays(owned)]),
      ]),
    );
  }

  async addTotals({ counters, days }: ClickSums): Promise<void> {
    const { run, slot } = this.#session;
    await this.#session.deferToCommit(
      Promise.all([
        run(ADD_COUNTERS, [slot, ...COUNTER_PARAMETERS.arrays(counters)]),
        run(ADD_DAYS, [slot, ...DAILY_SUM_PARAMETERS.arrays(days)]),
      ]),
    );
  }

  #read(codes: readonly string[], rows: readonly StoredLink[]): LinkFacts[] {
    const links = rows.map(({ fingerprint, ...row }) => {
      const link = this.#links.read(row);
      this.#shards.links.set(link, fingerprint);
      return link;
    });
    const found = new Set(links.map(({ code }) => code));
    for (const code of codes) if (!found.has(code)) this.#shards.links.setAbsent(code);
    return links;
  }

  #saveFromCache(visits: NewVisits, cached: CachedLinks): void {
    const { text, values, programId } = this.#shards.isCluster
      ? shardVisitStatement(visits, cached, this.#session.slot)
      : { ...visitStatement(visits, cached, this.#session), programId: null };
    const explain = (error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      // A unique violation means that an idempotency key is already claimed. It does not show that a link has changed,
      // so keep the cache.
      if (code !== UNIQUE_VIOLATION) this.#shards.clear();
      return code === DIVISION_BY_ZERO || code === UNIQUE_VIOLATION || STALE_SHARD.includes(code)
        ? new StaleCache('A cached link or shard has changed, or a key is already claimed', { cause: error })
        : error;
    };
    this.#session.runSingleStatement(text, values, explain, programId);
  }
}

/** Groups rows by program, in the order of the program ids, so that all transactions lock in the same order. */
function groupByProgram<Row extends { readonly programId: number }>(
  rows: readonly Row[],
): [programId: number, rows: Row[]][] {
  return [...Map.groupBy(rows, ({ programId }) => programId)].sort(([a], [b]) => a - b);
}

function withoutKeys(keys: readonly StoredReply[], removed: readonly ClickKeyRef[]): StoredReply[] {
  const nameOf = ({ programId, linkId, key }: ClickKeyRef) => `${programId}:${linkId}:${key}`;
  const names = new Set(removed.map(nameOf));
  return keys.filter((key) => !names.has(nameOf(key)));
}
