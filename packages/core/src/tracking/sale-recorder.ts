import type { Runtime } from '../runtime.ts';
import { LaneRecorder } from './lane-recorder.ts';
import { recordSales, type SaleRequest } from './record-sales.ts';
import type { SaleOutcome } from './sale.ts';

/** Records sales in batches. */
export class SaleRecorder extends LaneRecorder<SaleRequest, SaleOutcome> {
  constructor(runtime: Runtime) {
    super(runtime.engine, (tx, requests) => recordSales(tx, runtime, requests));
  }
}
