import type { Runtime } from '../runtime.ts';
import { ClickRecorder } from './click-recorder.ts';
import { LeadRecorder } from './lead-recorder.ts';
import { SaleRecorder } from './sale-recorder.ts';
import { TestEventRecorder } from './test-event-recorder.ts';

/** What gathers events into batches; one of each, for a second would write beside it. */
export interface Recorders {
  readonly clicks: ClickRecorder;
  readonly leads: LeadRecorder;
  readonly sales: SaleRecorder;
  /** Clicks and leads in test mode. */
  readonly testEvents: TestEventRecorder;
}

export function createRecorders(runtime: Runtime): Recorders {
  return {
    clicks: new ClickRecorder(runtime),
    leads: new LeadRecorder(runtime),
    sales: new SaleRecorder(runtime),
    testEvents: new TestEventRecorder(runtime),
  };
}
