import { expect, test } from 'vitest';
import { resetCommand } from './command.ts';

test.each([
  ['ana+shop@example.com', 'ana+shop@example.com'],
  ["o'brien@example.com", "'o'\\''brien@example.com'"],
  ['$(reboot)@example.com', "'$(reboot)@example.com'"],
  ['a;b@example.com', "'a;b@example.com'"],
])('the address %s is one word of the command', (email, word) => {
  expect(resetCommand(email)).toBe(`affkit password-reset-link ${word}`);
});
