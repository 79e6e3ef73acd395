import { directoryCodes } from '../domain/short-link.ts';
import type { Runtime } from '../runtime.ts';
import type { LaneKey } from '../storage/database/engine/engine.ts';
import { Batcher } from './batcher.ts';
import { observeBatches } from './observe-batches.ts';
import { type ClickOutcome, type ClickRequest, recordClicks } from './record-clicks.ts';

const MAX_CLICK_BATCH = 500;

/**
 * Batches clicks. On a Citus cluster, clicks that contain no existing click id are batched separately for each shard. A
 * single statement on the shard writes such a batch. All other clicks are batched together.
 */
export class ClickBatcher {
  readonly #runtime: Runtime;
  readonly #shared: Batcher<ClickRequest, ClickOutcome>;
  readonly #ofShards = new Map<number, Batcher<ClickRequest, ClickOutcome>>();
  readonly #loadingLinks: Batcher<readonly string[], true>;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#shared = this.#createBatcher('clicks');
    this.#loadingLinks = new Batcher({
      write: (work, _requests, size) => runtime.engine.write('clicks', work, undefined, size),
      record: async (tx, requests) => {
        await tx.clicks.load([...new Set(requests.flat())], []);
        return requests.map(() => true);
      },
      maxBatch: MAX_CLICK_BATCH,
    });
  }

  /** @throws Unavailable when the database cannot be used */
  record(request: ClickRequest): Promise<ClickOutcome> {
    if (request.existingClickId !== undefined) return this.#shared.record(request);
    const codes = directoryCodes(request.partnerCode);
    const shard = this.#runtime.engine.clickShardOf(codes);
    return shard === undefined ? this.#loadAndRecord(codes, request) : this.#batcherOf(shard).record(request);
  }

  /**
   * Loads the link to find its shard, then records the click in the batch of this shard. The shared batcher could
   * load the link too, but its batches would write to several shards.
   */
  async #loadAndRecord(codes: readonly string[], request: ClickRequest): Promise<ClickOutcome> {
    await this.#loadingLinks.record(codes);
    return await this.#batcherOf(this.#runtime.engine.clickShardOf(codes) ?? null).record(request);
  }

  #batcherOf(shard: number | null): Batcher<ClickRequest, ClickOutcome> {
    if (shard === null) return this.#shared;
    let batcher = this.#ofShards.get(shard);
    if (!batcher) {
      batcher = this.#createBatcher({ shard });
      this.#ofShards.set(shard, batcher);
    }
    return batcher;
  }

  #createBatcher(lane: LaneKey): Batcher<ClickRequest, ClickOutcome> {
    const { engine, telemetry } = this.#runtime;
    return new Batcher(
      observeBatches('clicks', telemetry, {
        write: (work, _requests, size) => engine.write(lane, work, undefined, size),
        record: (tx, requests, attempt) => recordClicks(tx, this.#runtime, requests, attempt),
        maxBatch: MAX_CLICK_BATCH,
        onFull: () => engine.flushNow(lane),
      }),
    );
  }
}
