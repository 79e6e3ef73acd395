import { expect, test } from 'vitest';
import { formatExplanation } from './explanation.ts';

test.each([
  ['The commission is 5.00 USD.', 'The commission is $5.00.'],
  ['(1380 JPY) applied; 1.5 USD, 2.345 USD', '(¥1,380) applied; $1.50, 2.345 USD'],
  ['The balance was 999999999.999 KWD lower.', 'The balance was KWD 999,999,999.999 lower.'],
  ['7 of 20 URLs', '7 of 20 URLs'],
])('formats the amounts in "%s" as elsewhere on the page', (why, text) => {
  expect(formatExplanation(why).replaceAll('\u00a0', ' ')).toBe(text);
});

test('calls the advertiser "you"', () => {
  expect(formatExplanation('The advertiser’s server sent the customer_key.')).toBe(
    'Your server sent the customer key.',
  );
});

test('calls the partner "you"', () => {
  const why =
    '1.5 days after the last click on this partner’s link. The amount was credited to the partner’s balance.';
  expect(formatExplanation(why, 'partner')).toBe(
    '1 day after the last click on your link. The amount was credited to your balance.',
  );
  expect(formatExplanation('The advertiser’s server sent it.', 'partner')).toBe(
    'The advertiser’s server sent it.',
  );
});

test.each([
  ['11.47 days after the last click on this partner’s link', '11 days after'],
  ['1.99 days after the last click on a partner’s link', '1 day after'],
  ['0.4 days after the last click on this partner’s link', 'less than a day after'],
  ['0 days after the last click on this partner’s link', '0 days after'],
  ['60.2 days after the last click on a link of the customer’s partner', '60.2 days after'],
])('rounds down the days in "%s" only if the sale is within the window', (why, start) => {
  expect(formatExplanation(why)).toContain(start);
});
