import { strictFields } from '../strict-fields.ts';
import { testEventRequest } from './tracking.ts';

/** Body of `POST …/test-event`. */
export const programTestEventRequest = strictFields({
  type: testEventRequest.shape.type.default('chain'),
});
