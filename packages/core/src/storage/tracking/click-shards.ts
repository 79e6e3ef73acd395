import { lowerAscii } from '../../domain/lower-ascii.ts';
import type { CachedLinks, ClickSession, LinkFacts } from '../database/click-store.ts';
import { arrayText } from '../database/row-parameters.ts';
import { REGISTER_SHARD_STATEMENTS, SELECT_UNREGISTERED } from './clicks-shard-visits.ts';
import { LinkCache } from './link-cache.ts';

/** Whether the tables of clicks are distributed. An operator may have installed Citus without using it yet. */
const IS_DISTRIBUTED = `SELECT EXISTS (SELECT FROM pg_dist_partition
  WHERE logicalrelid = 'shard_commit_markers'::regclass) AS "isDistributed"`;
const SELECT_SHARDS = `SELECT id AS "programId",
    get_shard_id_for_distribution_column('shard_commit_markers', id) AS shard
  FROM unnest($1::bigint[]) AS named (id)`;

/**
 * A cache of links and of the shards of their programs. All click connections of a process share it. On a
 * single Postgres server, there are no shards.
 *
 * A cached shard becomes stale when an operator splits it. The next statement then fails, and the cache is cleared.
 */
export class ClickShards {
  readonly links = new LinkCache();
  readonly #shards = new Map<number, number>();
  /** Undefined until the first transaction that needs it. */
  #isCluster: boolean | undefined;
  #isRegistered = false;

  get isCluster(): boolean {
    return this.#isCluster === true;
  }

  /** Returns the shard of a link; see `Engine.clickShardOf`. */
  shardOfCodes(codes: readonly string[]): number | null | undefined {
    if (this.#isCluster === false) return null;
    if (!this.#isCluster || !this.links.get(codes)) return undefined;
    const [link] = this.#cachedLinks(codes)?.links ?? [];
    return link ? this.#shards.get(link.programId) : null;
  }

  /** Returns the cached links of the codes, or null if a statement on a single shard cannot check all of them. */
  getOnOneShard(codes: readonly string[]): CachedLinks | null {
    const cached = this.#cachedLinks(codes);
    if (!cached) return null;
    const shards = new Set(cached.links.map(({ programId }) => this.#shards.get(programId)));
    return shards.size === 1 && !shards.has(undefined) ? cached : null;
  }

  /** Returns whether the database is a cluster. Only the first call queries the database. */
  async detect(session: ClickSession): Promise<boolean> {
    this.#isCluster ??= await detectCluster(session);
    return this.#isCluster;
  }

  /** Loads the shards of programs, unless the database is a single server. */
  async load(session: ClickSession, links: readonly LinkFacts[]): Promise<void> {
    if (!(await this.detect(session))) return;
    const missing = new Set(links.map(({ programId }) => programId).filter((id) => !this.#shards.has(id)));
    if (missing.size === 0) return;
    await this.#register(session);
    const { rows } = await session.run(SELECT_SHARDS, [arrayText([...missing])]);
    for (const { programId, shard } of rows as { programId: number; shard: number }[]) {
      this.#shards.set(programId, shard);
    }
  }

  clear(): void {
    this.links.clear();
    this.#shards.clear();
    this.#isRegistered = false;
  }

  /**
   * Stores the statements that run on shards, unless they are stored already. A SELECT checks this first, because each
   * INSERT writes the copies of the table on all servers, even if it changes nothing. INSERTs also wait for each other.
   */
  async #register(session: ClickSession): Promise<void> {
    if (this.#isRegistered) return;
    const { rows } = await session.run(SELECT_UNREGISTERED, []);
    if (rows.length > 0) await session.run(REGISTER_SHARD_STATEMENTS, []);
    this.#isRegistered = true;
  }

  /**
   * Returns the cached links. Returns null if a code is not cached, or is cached as missing but may have a link by now.
   * The statement of a shard would not notice such a link, because a shard cannot read the link directory. A missing
   * code with upper-case letters never gets a link, because the directory stores new codes in lower case.
   */
  #cachedLinks(codes: readonly string[]): CachedLinks | null {
    const cached = this.links.get(codes);
    const canAppear = cached?.codes.some(
      ({ code, fingerprint }) => fingerprint === null && lowerAscii(code) === code,
    );
    return canAppear ? null : cached;
  }
}

async function detectCluster(session: ClickSession): Promise<boolean> {
  if (!session.isCluster) return false;
  const { rows } = await session.run(IS_DISTRIBUTED, []);
  return (rows as { isDistributed: boolean }[])[0]?.isDistributed === true;
}
