import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { insertTestEvents, type NewTestEvent } from '../storage/tracking/test-events.ts';
import type { Batcher } from './batcher.ts';
import { ClickBatcher } from './click-batcher.ts';
import { LaneBatcher } from './lane-batcher.ts';
import type { LeadOutcome, LeadRequest } from './lead.ts';
import type { ClickOutcome, ClickRequest } from './record-clicks.ts';
import { recordLeads } from './record-leads.ts';
import { recordSales, type SaleRequest } from './record-sales.ts';
import { RefusalLog } from './refusal-log.ts';
import type { SaleOutcome } from './sale.ts';
import { totalsRetryOf } from './save-totals.ts';

type TestEventRequest = NewTestEvent & { readonly program: ProgramAccount };

/**
 * The recorders of tracking requests. They write in batches. The promise of `record` resolves to the outcome
 * of the request.
 */
export interface Recorders {
  readonly clicks: Pick<Batcher<ClickRequest, ClickOutcome>, 'record'>;
  readonly leads: LaneBatcher<LeadRequest, LeadOutcome>;
  /** Each payment is recorded once. A repeated request is rejected with `duplicate_transaction`. */
  readonly sales: LaneBatcher<SaleRequest, SaleOutcome>;
  /**
   * Clicks and leads in test mode. Anyone may send these events. They are batched, so that a flood of them
   * does not delay sales.
   */
  readonly testEvents: LaneBatcher<TestEventRequest, number>;
  readonly refusals: RefusalLog;
}

/**
 * Creates the recorders. Call it once per app, because requests of different recorders do not share batches.
 */
export function createRecorders(runtime: Runtime): Recorders {
  return {
    clicks: new ClickBatcher(runtime),
    leads: new LaneBatcher('leads', runtime, (tx, requests, attempt) =>
      recordLeads(tx, requests, totalsRetryOf(runtime, requests, attempt)),
    ),
    sales: new LaneBatcher('sales', runtime, (tx, requests, attempt) =>
      recordSales(tx, runtime, requests, totalsRetryOf(runtime, requests, attempt)),
    ),
    testEvents: new LaneBatcher<TestEventRequest, number>('test_events', runtime, insertTestEvents),
    refusals: new RefusalLog(runtime),
  };
}
