import type { Runtime } from '../runtime.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { type ClickOutcome, type ClickRequest, recordClicks } from './record-clicks.ts';

const MAX_BATCH = 500;

/** Records clicks in batches. */
export class ClickRecorder extends BatchRecorder<ClickRequest, ClickOutcome> {
  constructor({ engine, randomBytes }: Runtime) {
    super({
      write: (work, _requests, size) => engine.write('clicks', work, undefined, size),
      record: (tx, requests, attempt) => recordClicks(tx, requests, randomBytes, attempt === 1),
      maxBatch: MAX_BATCH,
      onFull: () => engine.flushNow('clicks'),
    });
  }
}
