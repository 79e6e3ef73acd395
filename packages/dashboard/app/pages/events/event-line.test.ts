import { describe, expect, test } from 'vitest';
import type { TrackedEvent } from '../../api/types.ts';
import { countNew, eventPageOf, searchTextOf } from './event-line.ts';

function event(change: object): TrackedEvent {
  return { id: 1, event_type: 'click', click_id: 'clk_1', ...change } as TrackedEvent;
}

describe('searchTextOf', () => {
  test('finds a click by its click id', () => expect(searchTextOf(event({}))).toBe('clk_1'));

  test('finds a sign-up without a click by its customer key', () =>
    expect(searchTextOf(event({ event_type: 'lead', click_id: null, customer_key: 'user-1' }))).toBe(
      'user-1',
    ));

  test('finds a sale by its transaction id', () =>
    expect(searchTextOf(event({ event_type: 'conversion', processor_event_id: 'order-1' }))).toBe('order-1'));

  test('returns null for a sign-up without any id', () =>
    expect(searchTextOf(event({ event_type: 'lead', click_id: null, customer_key: null }))).toBeNull());
});

test.each([
  ['https://shop.example/?aff=ana', 'shop.example'],
  ['https://shop.example/tea?aff=ana#top', 'shop.example/tea'],
  ['android-app://com.example', 'com.example'],
  ['not a url', 'not a url'],
])('shows the page of %s as %s', (url, expected) => {
  expect(eventPageOf(url)).toBe(expected);
});

test('a sale counts as new even if a click with the same id is shown', () => {
  const shown = [event({ id: 7 })];
  expect(countNew([event({ id: 7, event_type: 'conversion' }), ...shown], shown)).toBe(1);
});
