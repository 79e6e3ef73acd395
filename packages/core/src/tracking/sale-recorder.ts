import type { Runtime } from '../runtime.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { recordSales, type SaleRequest } from './record-sales.ts';
import type { SaleOutcome } from './sale.ts';

const MAX_BATCH = 100;
const MAX_WAITING = 20_000;

/** Records sales in batches, one queue for each of the engine's lanes. */
export class SaleRecorder {
  readonly #lanes: readonly BatchRecorder<SaleRequest, SaleOutcome>[];

  constructor(runtime: Runtime) {
    const { engine } = runtime;
    this.#lanes = Array.from(
      { length: engine.lanes },
      (_, lane) =>
        new BatchRecorder({
          write: (work) => engine.write(lane, work),
          record: (tx, requests) => recordSales(tx, runtime, requests),
          maxBatch: MAX_BATCH,
          maxWaiting: MAX_WAITING,
        }),
    );
  }

  /** @throws Unavailable when too many sales are waiting, or the database can't be used now */
  record(request: SaleRequest): Promise<SaleOutcome> {
    const lane = this.#lanes[request.program.workspaceId % this.#lanes.length];
    if (!lane) throw new Error('The engine has no lanes');
    return lane.record(request);
  }
}
