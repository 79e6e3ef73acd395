import type { Engine, Transaction } from '../storage/database/engine/engine.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { BatchRecorder } from './batch-recorder.ts';

const MAX_BATCH = 100;

/** Records requests of programs in batches, one queue for each of the engine's lanes. */
export class LaneRecorder<Request extends { readonly program: ProgramAccount }, Outcome> {
  readonly #lanes: readonly BatchRecorder<Request, Outcome>[];

  /** @param record gives an outcome for each request, in their order; it may be run again */
  constructor(engine: Engine, record: (tx: Transaction, requests: readonly Request[]) => Promise<Outcome[]>) {
    this.#lanes = Array.from(
      { length: engine.lanes },
      (_, lane) =>
        new BatchRecorder({
          write: (work, requests, size) =>
            engine.write(lane, work, () => requests().map(({ program }) => program.workspaceId), size),
          record,
          maxBatch: MAX_BATCH,
        }),
    );
  }

  /** @throws Unavailable when the database can't be used now */
  record(request: Request): Promise<Outcome> {
    const lane = this.#lanes[request.program.workspaceId % this.#lanes.length];
    if (!lane) throw new Error('The engine has no lanes');
    return lane.record(request);
  }
}
