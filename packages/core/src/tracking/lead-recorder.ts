import type { Runtime } from '../runtime.ts';
import { LaneRecorder } from './lane-recorder.ts';
import type { LeadOutcome, LeadRequest } from './lead.ts';
import { recordLeads } from './record-leads.ts';

/** Records leads in batches. */
export class LeadRecorder extends LaneRecorder<LeadRequest, LeadOutcome> {
  constructor({ engine }: Runtime) {
    super(engine, recordLeads);
  }
}
