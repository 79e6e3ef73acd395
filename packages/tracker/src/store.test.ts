import { beforeEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { clear, type Job, read, update } from './store.ts';

const minute = 60_000;
const name = 'affkit1:service_click_id';

function contextWith(entries: Map<string, string>) {
  const localStorage = {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  };
  return {
    config: configure({ baseUrl: '' }, ''),
    shared: { memory: {}, flights: {} },
    win: { localStorage },
  };
}

const job = (key: string, at: number): Job => ({ key, at, heldUntil: 0, kind: 'lead', body: {} });

beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  return () => vi.useRealTimers();
});

describe('the store', () => {
  it('gives back what was stored, and nothing of another cookie', () => {
    const entries = new Map<string, string>();
    const context = contextWith(entries);
    update(context, ({ jobs }) => jobs.push(job('a', Date.now())));
    expect(read(context).jobs).toEqual([job('a', Date.now())]);
    const other = { ...context, config: { ...context.config, cookieName: 'other' } };
    expect(read(other)).toEqual({ landings: [], jobs: [] });
    clear(context);
    expect(entries.size).toBe(0);
  });

  it('drops what is too old or too much', () => {
    const now = Date.now();
    const context = contextWith(new Map());
    update(context, (saved) => {
      saved.landings.push({ url: 'old', at: now - 30 * minute }, { url: 'new', at: now - 29 * minute });
      saved.jobs.push(job('old', now - 24 * 60 * minute));
      for (let i = 0; i < 22; i++) saved.jobs.push(job(`job ${i}`, now));
      saved.click = {
        id: 'c',
        code: 'ann',
        model: 'last_click',
        at: 0,
        expiresAt: now,
        domain: '',
        isOwnCookie: true,
      };
    });
    const saved = read(context);
    expect(saved.landings).toEqual([{ url: 'new', at: now - 29 * minute }]);
    expect(saved.jobs).toHaveLength(20);
    expect(saved.jobs[0]?.key).toBe('job 2');
    expect(saved.click).toBe(undefined);
  });

  it('never writes an e-mail address', () => {
    const entries = new Map<string, string>();
    update(contextWith(entries), ({ jobs }) =>
      jobs.push({
        ...job('a', Date.now()),
        kind: 'lead',
        body: { email: 'a@b.test', customer_key: 'user_1' },
      }),
    );
    expect(entries.get(name)).toContain('user_1');
    expect(entries.get(name)).not.toContain('a@b.test');
  });

  it.each(['{', 'null', '7', '{"jobs":1}', '{"landings":{},"jobs":[]}'])(
    'starts anew from a broken entry: %s',
    (text) => {
      const context = contextWith(new Map([[name, text]]));
      expect(read(context)).toEqual({ landings: [], jobs: [] });
    },
  );

  it('keeps to the page what localStorage does not take, before what is there', () => {
    const context = contextWith(
      new Map([[name, JSON.stringify({ landings: [], jobs: [job('a', Date.now())] })]]),
    );
    context.win.localStorage.setItem = () => {
      throw new Error('QuotaExceededError');
    };
    update(context, ({ jobs }) => jobs.push(job('b', Date.now())));
    expect(read(context).jobs.map(({ key }) => key)).toEqual(['a', 'b']);
    const sameJobs = read({ ...context, win: contextWith(new Map()).win }).jobs;
    expect(sameJobs.map(({ key }) => key)).toEqual(['a', 'b']);
  });
});
