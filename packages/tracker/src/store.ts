import type { ClickTracked, TrackClickRequest, TrackLeadRequest } from '@affkit/protocol';
import { entryName } from './config.ts';
import { attempt, memory } from './page.ts';

const JOB_MS = 24 * 3_600_000;
const MAX_JOBS = 20;
/** Instead of a time to hold a job: forget it. */
export const DROP = -1;

type JobBody = Partial<TrackClickRequest & TrackLeadRequest>;

/** A request that waits for its answer, or a click that has it. */
export interface Job {
  /** Names the request; by it the server counts a click once. */
  key: string;
  /** When it was made. */
  at: number;
  kind: 'click' | 'lead';
  /** The landing of a click, by which it is known again; none of a test event. */
  url?: string | undefined;
  /** Absent once it is answered. */
  body?: JobBody;
  /** Until then other pages leave it alone: the page that made it is at work on it. */
  held?: number;
}

/** One that is not answered yet. */
export interface OpenJob extends Job {
  body: JobBody;
}

/** The click that a lead or sale would be credited to: the server's answer, or what another site handed over. */
export interface KeptClick extends Partial<ClickTracked> {
  click_id: string;
  /** When the visit was made. */
  at: number;
  /** The end of its window. */
  till: number;
  /** Whether the tracker wrote the cookie; if not, the server's own `Set-Cookie` did. */
  own?: boolean | undefined;
  /** Domain of the cookie, empty for this host alone; absent where the browser took none. */
  host?: string | undefined;
}

/** All that the tracker keeps besides the cookie. */
export interface Saved {
  click?: KeptClick | undefined;
  jobs: Job[] & { toJSON?: 0 };
}

/** What is still valid: a click within its window, the newest 20 jobs of 24 hours. */
export function read(): Saved {
  return (
    attempt(() => {
      // Without an entry it is null, which has no jobs.
      const saved: Saved = JSON.parse(memory[entryName] || (localStorage.getItem(entryName) as string));
      if (saved.click && saved.click.till < Date.now()) delete saved.click;
      saved.jobs = saved.jobs.filter((job) => Date.now() - job.at < JOB_MS).slice(-MAX_JOBS);
      return saved;
    }) || { jobs: [] }
  );
}

/**
 * Stores all, or nothing any more. What localStorage does not take stays with the page. No e-mail address is
 * ever written: a lead that waits goes without.
 */
export function save(saved?: Saved): void {
  // Prototype.js up to 1.6 gives all arrays a `toJSON` that makes a text of them.
  if (saved) saved.jobs.toJSON = 0;
  const text = saved ? JSON.stringify(saved, (field, value) => (field === 'email' ? undefined : value)) : '';
  memory[entryName] = text;
  attempt(() => {
    localStorage[text ? 'setItem' : 'removeItem'](entryName, text);
    memory[entryName] = '';
  });
}

/** Stores a job in the place of what was stored of it, for other pages to leave alone that long. */
export function put(job: Job, holdMs: number): void {
  const saved = read();
  saved.jobs = saved.jobs.filter((other) => other.key !== job.key);
  if (holdMs >= 0) saved.jobs.push({ ...job, held: Date.now() + holdMs });
  save(saved);
}
