import type { Runtime } from '../runtime.ts';
import type { Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { Batcher } from './batcher.ts';
import { type BatchName, observeBatches } from './observe-batches.ts';

const MAX_LANE_BATCH = 100;

/**
 * Batches requests separately for each write lane of the engine; see `Engine.write`. A request belongs to the lane of
 * its program's workspace.
 */
export class LaneBatcher<Request extends { readonly program: ProgramAccount }, Outcome> {
  readonly #batchers: readonly Batcher<Request, Outcome>[];

  /** @param record returns an outcome for each request, in order; it may be called more than once for the same batch */
  constructor(
    name: BatchName,
    { engine, telemetry }: Pick<Runtime, 'engine' | 'telemetry'>,
    record: (tx: Transaction, requests: readonly Request[], attempt: number) => Promise<Outcome[]>,
  ) {
    this.#batchers = Array.from(
      { length: engine.lanes },
      (_, lane) =>
        new Batcher(
          observeBatches(name, telemetry, {
            write: (work, requests, size) =>
              engine.write(lane, work, () => requests().map(({ program }) => program.workspaceId), size),
            record,
            maxBatch: MAX_LANE_BATCH,
          }),
        ),
    );
  }

  /** @throws Unavailable when the database cannot be used */
  record(request: Request): Promise<Outcome> {
    const batcher = this.#batchers[request.program.workspaceId % this.#batchers.length];
    if (!batcher) throw new Error('The engine has no lanes');
    return batcher.record(request);
  }
}
