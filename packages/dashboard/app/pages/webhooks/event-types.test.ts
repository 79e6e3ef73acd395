import { WEBHOOK_EVENT_TYPES } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { EVENT_TYPES } from './event-types.ts';

test('every type of event is in one group', () => {
  expect(EVENT_TYPES.toSorted()).toEqual(WEBHOOK_EVENT_TYPES.toSorted());
});
