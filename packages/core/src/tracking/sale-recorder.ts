import type { Runtime } from '../runtime.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { recordSales, type SaleRequest } from './record-sales.ts';
import type { SaleOutcome } from './sale.ts';

const MAX_BATCH = 100;

/** Records sales in batches, one queue for each of the engine's lanes. */
export class SaleRecorder {
  readonly #lanes: readonly BatchRecorder<SaleRequest, SaleOutcome>[];

  constructor(runtime: Runtime) {
    const { engine } = runtime;
    this.#lanes = Array.from(
      { length: engine.lanes },
      (_, lane) =>
        new BatchRecorder({
          write: (work, requests, size) =>
            engine.write(lane, work, () => requests().map(({ program }) => program.workspaceId), size),
          record: (tx, requests) => recordSales(tx, runtime, requests),
          maxBatch: MAX_BATCH,
        }),
    );
  }

  /** @throws Unavailable when the database can't be used now */
  record(request: SaleRequest): Promise<SaleOutcome> {
    const lane = this.#lanes[request.program.workspaceId % this.#lanes.length];
    if (!lane) throw new Error('The engine has no lanes');
    return lane.record(request);
  }
}
