import { directoryCodes } from '../domain/short-link.ts';
import type { Runtime } from '../runtime.ts';
import type { LaneKey } from '../storage/database/engine/engine.ts';
import { Batcher } from './batcher.ts';
import { observeBatches } from './observe-batches.ts';
import { type ClickOutcome, type ClickRequest, recordClicks } from './record-clicks.ts';

const MAX_CLICK_BATCH = 500;

/**
 * Batches clicks. On a Citus cluster, the first visits of each shard have their own batches, so that a batch is a
 * single statement on one shard. All other clicks share batches.
 */
export class ClickBatcher {
  readonly #runtime: Runtime;
  readonly #shared: Batcher<ClickRequest, ClickOutcome>;
  readonly #ofShards = new Map<number, Batcher<ClickRequest, ClickOutcome>>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#shared = this.#createBatcher('clicks');
  }

  /** @throws Unavailable when the database cannot be used */
  record(request: ClickRequest): Promise<ClickOutcome> {
    const shard =
      request.existingClickId === undefined
        ? this.#runtime.engine.clickShardOf(directoryCodes(request.partnerCode))
        : null;
    return (shard === null ? this.#shared : this.#batcherOf(shard)).record(request);
  }

  #batcherOf(shard: number): Batcher<ClickRequest, ClickOutcome> {
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
