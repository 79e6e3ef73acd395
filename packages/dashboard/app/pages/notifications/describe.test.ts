import { expect, test } from 'vitest';
import type { Notification } from '../../api/types.ts';
import { describeNotification } from './describe.ts';

const describe = (kind: string, details: Notification['details'] = {}) =>
  describeNotification({
    id: 1,
    workspace_id: 1,
    program_id: 1,
    kind,
    details,
    read_at: null,
    created_at: '2026-11-03T12:00:00.000Z',
  });

test('names the amount and the sale', () => {
  const details = { amount_cents: 1999, currency: 'USD', transaction_id: 'pi_1', was_paid: true };
  const { text, links } = describe('commission_disputed', details);
  expect(text).toBe(
    'The commission of $19.99 for sale pi_1 is on hold until the dispute ends. Answer the dispute at Stripe. The commission was already paid.',
  );
  expect(links).toEqual([{ text: 'Why?', path: '/why?q=pi_1', permission: 'trace:read' }]);
});

test('names the endpoint whose webhooks were given up', () => {
  const { text, links } = describe('webhook_failed', {
    endpoint_id: 3,
    host: 'shop.example',
    failed: 2,
  });
  expect(text).toContain('Deliveries to shop.example failed');
  expect(links).toMatchObject([{ path: '/webhooks/3', permission: 'webhook:write' }]);
});

test('gives the reason why payouts were not paid', () => {
  const { text, links } = describe('payouts_failed', { batch_id: 4, reason: 'Account closed' });
  expect(text).toBe(
    'Payouts of batch 4 were not paid. They are pending again, so that another batch can include them. Reason: Account closed',
  );
  expect(links).toMatchObject([{ path: '/payouts/files', permission: 'payout:list' }]);
});

test('links to the page on which the user can act', () => {
  expect(describe('payouts_proposed', { payout_run_id: 1, month: '2026-11' }).links).toMatchObject([
    { text: 'Open the payouts', path: '/payouts', permission: 'payout:list' },
  ]);
  expect(describe('application_received', { partner_id: 5, partner_name: 'Mia' }).links).toMatchObject([
    { text: 'Open the partner', path: '/partners/5', permission: 'partner:list' },
  ]);
});

test.each([
  'paid_commission_reversed',
  'second_refund_skipped',
  'refund_parked',
  'commission_disputed',
  'commission_released',
  'lost_dispute_skipped',
  'dispute_parked',
  'sale_recorded_twice',
  'application_received',
  'payouts_proposed',
  'payouts_failed',
  'payouts_unclear',
  'payouts_contradicted',
  'payouts_delayed',
  'recorded_by_other_program',
  'webhook_paused',
  'webhook_failed',
])('a notification of the kind %s has a text, even without details', (kind) => {
  const { title, text } = describe(kind);
  expect(title).not.toContain('_');
  expect(text).not.toMatch(/undefined|null|NaN|documentation/);
});

test('shows the name of an unknown kind', () => {
  expect(describe('some_new_kind').title).toBe('Some new kind');
});
