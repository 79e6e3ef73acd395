import { expect, test } from 'vitest';
import { shareLookup } from './shared-lookup.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A lookup that notes what it is asked, and answers what is true at that time. */
function noting() {
  const asked: string[] = [];
  const facts = new Map<string, number>();
  const find = shareLookup(async (key) => {
    asked.push(key);
    return facts.get(key) ?? null;
  });
  return { asked, facts, find };
}

test('what many ask in one turn is asked of the database once, each thing by itself', async () => {
  const { asked, facts, find } = noting();
  facts.set('a', 1);
  expect(await Promise.all(['a', 'b', 'a', 'b', 'a'].map(find))).toEqual([1, null, 1, null, 1]);
  expect(asked).toEqual(['a', 'b']);
});

test('it is asked after the last has come: none is given what was no longer true', async () => {
  const { asked, facts, find } = noting();
  facts.set('a', 1);
  const first = find('a');
  facts.set('a', 2);
  const second = find('a');
  expect(await Promise.all([first, second])).toEqual([2, 2]);
  await turn();
  facts.delete('a');
  expect(await find('a')).toBe(null);
  expect(asked).toEqual(['a', 'a']);
});

test('an answer that is under way is not shared with who comes later', async () => {
  let isTrue = true;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const find = shareLookup(async () => {
    const seen = isTrue;
    await held;
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

test('a failure is told to all who asked, and not kept', async () => {
  let failures = 1;
  const find = shareLookup(async (key) => {
    if (failures-- > 0) throw new Error('no database');
    return key;
  });
  const outcomes = await Promise.allSettled([find('a'), find('a')]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await find('a')).toBe('a');
});
