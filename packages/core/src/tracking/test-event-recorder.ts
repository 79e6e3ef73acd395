import type { Runtime } from '../runtime.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import { insertTestEvents, type NewTestEvent } from '../storage/tracking/test-events.ts';
import { LaneRecorder } from './lane-recorder.ts';

/** A test event as it waits for its batch. */
export type TestEventRequest = NewTestEvent & { readonly program: ProgramAccount };

/** Records clicks and leads in test mode, in batches: anybody may send them, and many of them must hold up no sale. */
export class TestEventRecorder extends LaneRecorder<TestEventRequest, number> {
  constructor({ engine }: Runtime) {
    super(engine, insertTestEvents);
  }
}
