import { expect, test } from 'vitest';
import { shareLookup } from './shared-lookup.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Creates a shared lookup over the map `facts`, and records the keys that it looks up. Tests can change `facts`.
 */
function recordLookups() {
  const lookedUp: string[] = [];
  const facts = new Map<string, number>();
  const find = shareLookup(async (key) => {
    lookedUp.push(key);
    return facts.get(key) ?? null;
  });
  return { lookedUp, facts, find };
}

test('looks up each key once per turn of the event loop', async () => {
  const { lookedUp, facts, find } = recordLookups();
  facts.set('a', 1);
  expect(await Promise.all(['a', 'b', 'a', 'b', 'a'].map(find))).toEqual([1, null, 1, null, 1]);
  expect(lookedUp).toEqual(['a', 'b']);
});

test('looks up after the last call of the turn, so no caller gets a stale result', async () => {
  const { lookedUp, facts, find } = recordLookups();
  facts.set('a', 1);
  const first = find('a');
  facts.set('a', 2);
  const second = find('a');
  expect(await Promise.all([first, second])).toEqual([2, 2]);
  await turn();
  facts.delete('a');
  expect(await find('a')).toBe(null);
  expect(lookedUp).toEqual(['a', 'a']);
});

test('does not share a lookup in progress with later callers', async () => {
  let isTrue = true;
  const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
  const find = shareLookup(async () => {
    const seen = isTrue;
    await blocked;
    return seen;
  });
  const early = find('a');
  await turn();
  await turn();
  isTrue = false;
  const late = find('a');
  await turn();
  release();
  expect(await Promise.all([early, late])).toEqual([true, false]);
});

test('rejects all callers of a failed lookup, and looks up again on the next call', async () => {
  let failures = 1;
  const find = shareLookup(async (key) => {
    if (failures-- > 0) throw new Error('no database');
    return key;
  });
  const outcomes = await Promise.allSettled([find('a'), find('a')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('a')).toBe('a');
});
