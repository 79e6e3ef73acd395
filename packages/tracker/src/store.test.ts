import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { joinPageState } from './page.ts';
import { DROP, type Job, putJob, readState, writeState } from './store.ts';

const minute = 60_000;
const name = 'affkit1:service_click_id';

/** Stubs a new page with these entries in localStorage. */
function openPage(entries: Record<string, string> = {}) {
  vi.stubGlobal('localStorage', entries);
  vi.stubGlobal('window', {});
  joinPageState();
  return entries;
}

const job = (key: string, at = Date.now()): Job => ({ key, at, kind: 'lead', body: {} });

beforeEach(() => {
  configure({});
  vi.useFakeTimers({ now: 1_800_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the store', () => {
  it('returns what was stored for the same cookie name', () => {
    const entries = openPage();
    putJob(job('a'), 1_000);
    expect(readState().jobs).toEqual([{ ...job('a'), held: Date.now() + 1_000 }]);
    configure({ cookieName: 'other' });
    expect(readState()).toEqual({ jobs: [] });
    expect(Object.keys(entries)).toEqual([name]);
  });

  it('replaces a job with the same key and removes dropped jobs', () => {
    openPage();
    putJob(job('a'), 0);
    putJob(job('b'), 0);
    putJob(job('a'), 5);
    expect(readState().jobs.map(({ key }) => key)).toEqual(['b', 'a']);
    putJob(job('b'), DROP);
    expect(readState().jobs.map(({ key }) => key)).toEqual(['a']);
  });

  it('drops expired jobs and clicks, and keeps only the newest 20 jobs', () => {
    const now = Date.now();
    openPage();
    const jobs = [job('old', now - 24 * 60 * minute)];
    for (let i = 0; i < 22; i++) jobs.push(job(`job ${i}`));
    writeState({ jobs, click: { click_id: 'c', at: 0, till: now - 1 } });
    const saved = readState();
    expect(saved.jobs).toHaveLength(20);
    expect(saved.jobs[0]?.key).toBe('job 2');
    expect(saved.click).toBe(undefined);
  });

  it.each([
    { click_id: '<img src=x>', at: 0, till: Number.MAX_SAFE_INTEGER },
    { click_id: 'clk_1', at: 0, till: 'soon' },
    { click_id: { toString: 1 }, at: 0, till: Number.MAX_SAFE_INTEGER },
    'clk_1',
  ])('drops a stored click that is not valid: %j', (click) => {
    openPage({ [name]: JSON.stringify({ jobs: [], click }) });
    expect(readState()).toEqual({ jobs: [] });
  });

  it('stores its jobs without email addresses if the page adds `toJSON` to arrays', () => {
    // This is the implementation of Prototype.js 1.6.
    Object.assign(Array.prototype, {
      toJSON(this: unknown[]) {
        return `[${this.map((item) => JSON.stringify(item)).join(', ')}]`;
      },
    });
    try {
      const entries = openPage();
      putJob({ ...job('a'), body: { email: 'a@b.test' } }, 0);
      putJob(job('b'), 0);
      expect(readState().jobs.map(({ key }) => key)).toEqual(['a', 'b']);
      expect(entries[name]).not.toContain('a@b.test');
    } finally {
      Reflect.deleteProperty(Array.prototype, 'toJSON');
    }
  });

  it('never writes an email address', () => {
    const entries = openPage();
    putJob({ ...job('a'), body: { email: 'a@b.test', customer_key: 'user_1' } }, 0);
    expect(entries[name]).toContain('user_1');
    expect(entries[name]).not.toContain('a@b.test');
  });

  it.each(['{', 'null', '7', '{"jobs":1}', '{"click":{},"jobs":null}'])(
    'ignores an invalid entry: %s',
    (text) => {
      openPage({ [name]: text });
      expect(readState()).toEqual({ jobs: [] });
    },
  );

  it('keeps the state in memory if localStorage rejects the write', () => {
    // Writing to a frozen object throws, as writing to a full storage does.
    openPage(Object.freeze({ [name]: JSON.stringify({ jobs: [job('a')] }) }));
    putJob(job('b'), 0);
    expect(readState().jobs.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
