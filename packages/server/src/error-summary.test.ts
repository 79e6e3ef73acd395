import { expect, test } from 'vitest';
import { summarizeError } from './error-summary.ts';

test.each([
  [new Error('no such folder\n    at mkdir'), 'no such folder'],
  [new TypeError('no such folder'), 'no such folder'],
  [new Error(''), ''],
  ['thrown as a text\nof two lines', 'thrown as a text'],
  [undefined, 'undefined'],
])('summarizes %j as %j', (error, line) => {
  expect(summarizeError(error)).toBe(line);
});
