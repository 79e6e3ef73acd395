import type { ClickTracked, TrackClickRequest, TrackLeadRequest } from '@affkit/protocol';
import { cookieDomain, entryName } from './config.ts';
import { candidateDomains, isClickId, writeCookie } from './cookie.ts';
import { attempt, inFlight, memory } from './page.ts';

const JOB_MS = 24 * 3_600_000;
const MAX_JOBS = 20;
/** The value of `holdMs` that removes a job. No number has this meaning, because `Retry-After` may be negative. */
export const DROP = '';

type JobBody = Partial<TrackClickRequest & TrackLeadRequest>;

/** A queued request, or a tracked landing that is kept in order to detect duplicates. */
export interface Job {
  /** The idempotency key. The server records only one click per key. */
  key: string;
  /** The time of creation, in epoch milliseconds. */
  at: number;
  kind: 'click' | 'lead';
  /** The landing URL of a click, for the detection of duplicates. False for a test event. */
  url?: string | false | undefined;
  /** Undefined after the response has arrived. */
  body?: JobBody;
  /** Until this time, other pages do not send the job, because the page that stored it is sending it. */
  held?: number;
}

/** A job that has no response yet. */
export interface OpenJob extends Job {
  body: JobBody;
}

/**
 * The click to which leads and sales are attributed. If it comes from another site, only the id, the times
 * and the attribution model are known.
 */
export interface StoredClick extends Partial<ClickTracked> {
  click_id: string;
  /** The time of the visit, in epoch milliseconds. */
  at: number;
  /** The time at which the tracker stored the click, in epoch milliseconds. Undefined until then. */
  stored?: number | undefined;
  /** The end of the attribution window, in epoch milliseconds. */
  till: number;
  /** Whether the tracker wrote the cookie. If not, the server set it with `Set-Cookie`. */
  own?: boolean | undefined;
  /**
   * The domain of the cookie, or `''` for a host-only cookie. Undefined if the browser rejected every domain.
   */
  host?: string | undefined;
}

/** Everything that the tracker stores, except the cookie. */
export interface StoredState {
  click?: StoredClick | undefined;
  jobs: Job[] & { toJSON?: 0 };
}

/** Returns the stored click if its window has not ended, and the latest 20 jobs of the last 24 hours. */
export function readState(): StoredState {
  return (
    attempt(() => {
      // If there is no entry, `saved` is 0, and the state is empty. Throwing and catching an exception instead would
      // take as long as the first access to the storage.
      const saved: StoredState = JSON.parse(memory[entryName] || localStorage[entryName] || 0);
      const { click_id, till } = saved.click || ({} as StoredClick);
      if (!(till > Date.now() && isClickId(click_id))) delete saved.click;
      // biome-ignore lint/complexity/useOptionalChain: its es2019 form is longer.
      saved.jobs = saved && saved.jobs.filter((job) => Date.now() - job.at < JOB_MS).slice(-MAX_JOBS);
      return saved;
    }) || { jobs: [] }
  );
}

/**
 * Stores the state. If localStorage rejects it, the state is kept in memory. Email addresses are never
 * stored, so a lead from the queue is sent without its email address.
 */
export function writeState(saved: StoredState): void {
  // Prototype.js up to 1.6 adds a `toJSON` to arrays. It would turn the list of jobs into a string.
  saved.jobs.toJSON = 0;
  memory[entryName] = JSON.stringify(saved, (field, value) => (field !== 'email' ? value : undefined));
  attempt(() => {
    localStorage[entryName] = memory[entryName];
    memory[entryName] = '';
  });
}

/**
 * Adds or replaces a job. Other pages do not send the job for `holdMs`; null means 0. With `DROP`, the job is removed.
 */
export function putJob(job: Job, holdMs: number | null | typeof DROP): undefined {
  const saved = readState();
  saved.jobs = saved.jobs
    .filter((other) => other.key !== job.key)
    .concat(holdMs === DROP ? [] : { ...job, held: Date.now() + (holdMs as number) });
  writeState(saved);
}

/** Deletes all stored data. Waiting visits are then dropped, and responses to pending requests are ignored. */
export function reset(): void {
  for (const key in inFlight) delete inFlight[key];
  [cookieDomain, ...candidateDomains()].map((domain) => writeCookie('', 0, domain));
  memory[entryName] = '';
  attempt(() => delete localStorage[entryName] && delete sessionStorage[entryName]);
}
