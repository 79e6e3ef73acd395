import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Backlog } from './backlog.ts';
import { type Entry, EntryNamer, readEntry } from './entry.ts';
import type { SpooledEvent } from './spool.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const namer = new EntryNamer();

function entry(operation: SpooledEvent['operation'], fields: object, atMs = NOW): Entry {
  const read = readEntry(namer.next({ operation, body: JSON.stringify(fields) }, atMs));
  if (read === undefined) throw new Error('The created name could not be parsed');
  return read;
}

const sale = (transaction_id: string, customer_key = transaction_id) =>
  entry('sale', { transaction_id, customer_key });
const refund = (transaction_id: string) => entry('refund', { transaction_id });
const lead = (customer_key: string) => entry('lead', { customer_key, click_id: `clk-${customer_key}` });

function filled(...entries: readonly Entry[]): Backlog {
  const backlog = new Backlog();
  for (const each of entries) backlog.add(each);
  return backlog;
}

function takeAll(backlog: Backlog): Entry[] {
  const taken: Entry[] = [];
  for (let next = backlog.take(); next !== undefined; next = backlog.take()) taken.push(next);
  return taken;
}

describe('EntryNamer', () => {
  test('creates ascending names even if the clock stops or goes back, or the counter of a millisecond overflows', () => {
    const own = new EntryNamer(1_000);
    const event: SpooledEvent = { operation: 'sale', body: '{"transaction_id":"a"}' };
    const names = [NOW, NOW, NOW - 86_400_000, NOW + 5, NOW].map((atMs) => own.next(event, atMs));
    expect(names.toSorted()).toEqual(names);
    expect(new Set(names).size).toBe(names.length);
    let last = own.next(event, NOW);
    for (let count = 0; count < 10_001; count += 1) {
      const next = own.next(event, NOW);
      if (next <= last) throw new Error(`${next} does not follow ${last}`);
      last = next;
    }
  });

  test('creates names that sort after the names of an earlier process whose clock was ahead', () => {
    const before = new EntryNamer().next({ operation: 'sale', body: '{}' }, NOW + 86_400_000);
    const own = new EntryNamer();
    own.follow(before);
    expect(own.next({ operation: 'sale', body: '{}' }, NOW) > before).toBe(true);
  });

  test('creates ascending names with whole milliseconds even if the clock counts fractions', () => {
    const own = new EntryNamer();
    const event: SpooledEvent = { operation: 'sale', body: '{"transaction_id":"a"}' };
    const names = [0.25, 0.75, 1.5, 1.25, 2].map((ms) => own.next(event, NOW + ms));
    expect(names.toSorted()).toEqual(names);
    expect(names.filter((name) => readEntry(name) === undefined)).toEqual([]);
  });

  test('creates a name short enough for `.reason` to be added, even for an event with 14 ids', () => {
    const processor_refs = Array.from({ length: 10 }, (_, index) => `ref_${index}`);
    const ids = { transaction_id: 'in_1', customer_key: 'u', click_id: 'c', subscription_id: 's' };
    const { name, keys } = entry('sale', { ...ids, processor_refs });
    expect(name.replace(/json$/, 'reason.json').length).toBeLessThanOrEqual(255);
    expect(keys).toEqual(expect.arrayContaining([...sale('in_1', 'u').keys, ...refund('ref_0').keys]));
  });

  test('readEntry returns undefined for the names of other files', () => {
    for (const name of ['.DS_Store', 'x.json', 'lock', `${sale('a').name}.tmp`, '']) {
      expect(readEntry(name)).toBeUndefined();
    }
  });
});

describe('Backlog', () => {
  test('returns entries without common keys immediately', () => {
    const entries = [sale('a'), sale('b'), refund('c')];
    expect(takeAll(filled(...entries))).toEqual(entries);
  });

  test('returns a refund after its sale, even if the refund was added first', () => {
    const late = refund('a');
    const first = sale('a');
    const backlog = filled(late, first);
    expect(takeAll(backlog)).toEqual([first]);
    backlog.release(first, false);
    expect(takeAll(backlog)).toEqual([first]);
    backlog.finish(first.name);
    expect(takeAll(backlog)).toEqual([late]);
  });

  test('returns the lead of a customer before the sales, and the sales one at a time', () => {
    const entries = [sale('a', 'user'), sale('b', 'user'), lead('user')] as const;
    const backlog = filled(...entries);
    for (const expected of [entries[2], entries[0], entries[1]]) {
      expect(takeAll(backlog)).toEqual([expected]);
      backlog.finish(expected.name);
    }
    expect(backlog.size).toBe(0);
  });

  test('does not return a paused entry, or the entries behind it, until resume is called', () => {
    const [first, second] = [sale('a'), refund('a')];
    const backlog = filled(first, second);
    backlog.take();
    backlog.release(first, true);
    expect(takeAll(backlog)).toEqual([]);
    backlog.resume(first.name);
    expect(takeAll(backlog)).toEqual([first]);
  });

  test('after stopBlocking, returns an entry after the entries that were behind it', () => {
    const [first, second] = [lead('user'), sale('a', 'user')];
    const backlog = filled(first, second);
    backlog.take();
    backlog.stopBlocking(first);
    backlog.release(first, false);
    expect(takeAll(backlog)).toEqual([second, first]);
  });

  test('returns an avoided entry only if no other entry is ready', () => {
    const [first, second] = [sale('a'), sale('b')];
    const backlog = filled(first, second);
    const avoided = new Map([[first.name, 1]]);
    expect([backlog.take(avoided), backlog.take(avoided)]).toEqual([second, first]);
  });

  test('ignores an entry that it already contains', () => {
    const one = sale('a');
    expect([filled(one, one).size, takeAll(filled(one, one))]).toEqual([1, [one]]);
  });

  test('returns every entry, in order, and never two at a time that share a key', () => {
    const anyEntry = fc
      .tuple(
        fc.constantFrom('sale', 'refund', 'lead'),
        fc.constantFrom('a', 'b', 'c'),
        fc.constantFrom('x', 'y'),
      )
      .map(([operation, id, key]) => {
        if (operation === 'lead') return lead(key);
        return operation === 'refund' ? refund(id) : sale(id, key);
      });
    const step = fc.constantFrom('take', 'finish', 'release', 'add');
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 20 }), fc.array(step), (entries, steps) => {
        const backlog = new Backlog();
        const waiting = [...entries];
        const present = new Set<Entry>();
        const taken: Entry[] = [];
        const haveCommonKey = (a: Entry, b: Entry) => a.keys.some((key) => b.keys.includes(key));
        const run = (what: string) => {
          if (what === 'add') {
            const next = waiting.shift();
            if (next === undefined) return;
            present.add(next);
            backlog.add(next);
          } else if (what === 'take') {
            const next = backlog.take();
            if (next === undefined) return;
            const others = [...present].filter((other) => other !== next && haveCommonKey(other, next));
            expect(others.filter((other) => other.order < next.order)).toEqual([]);
            taken.push(next);
          } else {
            const one = taken.shift();
            if (one === undefined) return;
            if (what === 'release') backlog.release(one, false);
            else {
              present.delete(one);
              backlog.finish(one.name);
            }
          }
        };
        for (const what of steps) run(what);
        for (const _ of entries) run('add');
        for (const _ of [...entries, ...entries]) {
          run('take');
          run('finish');
        }
        expect([backlog.size, present.size]).toEqual([0, 0]);
      }),
    );
  });
});
