import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteEngine } from '../../src/storage/sqlite.ts';
import { makeWorld } from '../support/world.ts';
import { startLoad } from './load.ts';
import { parseCalls, type SystemCall, straceCommand } from './strace.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'affkit-fsync-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A step in the trace: a write to SQLite's log, the start and end of a sync, or an acknowledged click. */
type Step = 'written' | 'syncing' | 'synced' | 'acknowledged';

function toSteps(calls: readonly SystemCall[]): Step[] {
  return calls.flatMap((call): Step[] => {
    const isStart = call.phase === 'start';
    if (call.name === 'write') return isStart && call.rest.startsWith(', "click ') ? ['acknowledged'] : [];
    if (!call.file.endsWith('-wal')) return [];
    if (call.name === 'pwrite64') return isStart ? ['written'] : [];
    return [isStart ? 'syncing' : 'synced'];
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
  const load = startLoad(plan, straceCommand(log));
  expect(await load.exited).toBe('0');
  return toSteps(parseCalls(readFileSync(log, 'utf8')));
}

describe('the SQLite engine', () => {
  test('writes and syncs each single click before its response', async () => {
    const steps = await traceLoad(1, 40);
    const each = steps.join(' ').split('acknowledged').slice(0, -1);
    expect(each.length).toBeGreaterThanOrEqual(39);
    for (const before of each) {
      expect(before.trim()).toMatch(/written( (written|syncing|synced))* syncing synced$/);
    }
  });

  test('shares syncs between concurrent clicks, and acknowledges no click before its sync', async () => {
    const steps = await traceLoad(50, 1000);
    const count = (step: Step) => steps.filter((other) => other === step).length;
    expect(count('acknowledged')).toBeGreaterThanOrEqual(999);
    let isDirty = false;
    let isCovered = false;
    const acknowledgedEarly = steps.filter((step) => {
      // A sync covers only what was written before it started.
      if (step === 'written') [isDirty, isCovered] = [true, false];
      else if (step === 'syncing') isCovered = true;
      else if (step === 'synced') isDirty &&= !isCovered;
      return step === 'acknowledged' && isDirty;
    });
    expect(acknowledgedEarly).toEqual([]);
    // Up to 50 visitors share a commit.
    expect(count('synced')).toBeLessThan(count('acknowledged') / 10);
    expect(count('synced')).toBeGreaterThanOrEqual(count('acknowledged') / 50);
  });
});
