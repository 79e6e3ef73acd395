import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { makeWorld } from '../support/world.ts';
import { startLoad } from './load.ts';
import { parseCalls, type SystemCall, tracing } from './strace.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-fsync-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What happened to SQLite's log, in order: pages written, a sync begun, it has ended, an answer given. */
type Step = 'written' | 'syncing' | 'synced' | 'answered';

function toSteps(calls: readonly SystemCall[]): Step[] {
  return calls.flatMap((call): Step[] => {
    const isBegun = call.moment === 'begun';
    if (call.name === 'write') return isBegun && call.rest.startsWith(', "click ') ? ['answered'] : [];
    if (!call.file.endsWith('-wal')) return [];
    if (call.name === 'pwrite64') return isBegun ? ['written'] : [];
    return [isBegun ? 'syncing' : 'synced'];
  });
}

async function traceLoad(clickers: number, limit: number): Promise<Step[]> {
  const path = join(folder, 'affkit.db');
  const log = join(folder, 'calls.log');
  const world = await makeWorld(sqliteEngine({ path }));
  await world.affkit.close();
  const plan = {
    database: path,
    token: world.token,
    code: 'anna',
    prefix: 'traced',
    clickers,
    sellers: 0,
    limit,
  };
  const load = startLoad(plan, tracing(log));
  expect(await load.ended).toBe('0');
  return toSteps(parseCalls(readFileSync(log, 'utf8')));
}

describe('syncs of a SQLite file', () => {
  test('each lone click is written and synced before its answer', async () => {
    const steps = await traceLoad(1, 40);
    const each = steps.join(' ').split('answered').slice(0, -1);
    expect(each.length).toBeGreaterThanOrEqual(39);
    for (const before of each) {
      expect(before.trim()).toMatch(/written( (written|syncing|synced))* syncing synced$/);
    }
  });

  test('many clicks at once share syncs, and none is answered over an unsynced write', async () => {
    const steps = await traceLoad(50, 1000);
    const count = (step: Step) => steps.filter((other) => other === step).length;
    expect(count('answered')).toBeGreaterThanOrEqual(999);
    let isDirty = false;
    let isCovered = false;
    const answeredEarly = steps.filter((step) => {
      // A sync is good for what was written before it began.
      if (step === 'written') [isDirty, isCovered] = [true, false];
      else if (step === 'syncing') isCovered = true;
      else if (step === 'synced') isDirty &&= !isCovered;
      return step === 'answered' && isDirty;
    });
    expect(answeredEarly).toEqual([]);
    // 50 visitors wait for each commit.
    expect(count('synced')).toBeLessThan(count('answered') / 10);
    expect(count('synced')).toBeGreaterThanOrEqual(count('answered') / 50);
  });
});
