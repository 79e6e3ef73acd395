import { EMAIL_TEMPLATES } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { TEMPLATE_GROUPS } from './kinds.ts';

test('every template is in one group', () => {
  const shown = TEMPLATE_GROUPS.flatMap(({ templates }) => templates);
  expect(shown.toSorted()).toEqual(EMAIL_TEMPLATES.toSorted());
});
