import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { insertTestEvents, type NewTestEvent } from '../storage/tracking/test-events.ts';
import { Batcher } from './batcher.ts';
import { LaneBatcher } from './lane-batcher.ts';
import type { LeadOutcome, LeadRequest } from './lead.ts';
import { type ClickOutcome, type ClickRequest, recordClicks } from './record-clicks.ts';
import { recordLeads } from './record-leads.ts';
import { recordSales, type SaleRequest } from './record-sales.ts';
import { RefusalLog } from './refusal-log.ts';
import type { SaleOutcome } from './sale.ts';
import { totalsRetryOf } from './save-totals.ts';

type TestEventRequest = NewTestEvent & { readonly program: ProgramAccount };

const MAX_CLICK_BATCH = 500;

/**
 * The recorders of tracking requests, which write in batches. The promise of `record` resolves to the outcome
 * of the request.
 */
export interface Recorders {
  readonly clicks: Batcher<ClickRequest, ClickOutcome>;
  readonly leads: LaneBatcher<LeadRequest, LeadOutcome>;
  /** Each payment is recorded once. A repeated request is rejected with `duplicate_transaction`. */
  readonly sales: LaneBatcher<SaleRequest, SaleOutcome>;
  /**
   * Clicks and leads in test mode. They are batched because anyone may send them, and a flood of them must
   * not delay sales.
   */
  readonly testEvents: LaneBatcher<TestEventRequest, number>;
  readonly refusals: RefusalLog;
}

/**
 * Creates the recorders. Call it once per app, because requests of different recorders do not share batches.
 */
export function createRecorders(runtime: Runtime): Recorders {
  const { engine } = runtime;
  return {
    clicks: new Batcher({
      write: (work, _requests, size) => engine.write('clicks', work, undefined, size),
      record: (tx, requests, attempt) => recordClicks(tx, runtime, requests, attempt),
      maxBatch: MAX_CLICK_BATCH,
      onFull: () => engine.flushNow('clicks'),
    }),
    leads: new LaneBatcher(engine, (tx, requests, attempt) =>
      recordLeads(tx, requests, totalsRetryOf(runtime, requests, attempt)),
    ),
    sales: new LaneBatcher(engine, (tx, requests, attempt) =>
      recordSales(tx, runtime, requests, totalsRetryOf(runtime, requests, attempt)),
    ),
    testEvents: new LaneBatcher<TestEventRequest, number>(engine, insertTestEvents),
    refusals: new RefusalLog(runtime),
  };
}
