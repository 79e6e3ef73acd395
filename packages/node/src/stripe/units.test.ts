import { fromStripeUnits as convertOnServer, isCurrency } from '@affkit/protocol';
import { expect, test } from 'vitest';
import { event, invoice } from '../../test/stripe-events.ts';
import { toTrackCall } from './index.ts';
import { fromStripeUnits } from './units.ts';

test('converts every currency like the webhook of the server', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  for (const code of codes.filter(isCurrency)) {
    for (const amount of [0, 1, 50, 500, 4050, 123_450]) {
      expect([code, fromStripeUnits(amount, code.toLowerCase())]).toEqual([
        code,
        convertOnServer(amount, code),
      ]);
    }
  }
});

test('toTrackCall converts the amount to the unit of the Affkit API', () => {
  const paid = invoice('current', { service_click_id: 'clk_1' }, { amount_paid: 50_000, currency: 'isk' });
  expect(toTrackCall(event('invoice.paid', paid))).toMatchObject({
    sale: { amount_cents: 500, currency: 'ISK' },
  });
});
