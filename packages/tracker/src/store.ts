import type { TrackClickRequest, TrackLeadRequest } from '@affkit/protocol';
import type { KeptClick } from './attribution.ts';
import type { Context } from './context.ts';

const LANDING_MS = 30 * 60_000;
const JOB_MS = 24 * 3_600_000;
const MAX_JOBS = 20;

interface JobState {
  /** Names the job; of a click also its idempotency key. */
  key: string;
  /** When it was made. */
  at: number;
  /** Until then other pages leave it alone: the page that made it is at work on it. */
  heldUntil: number;
}

/** A request that is not answered yet. */
export type Job = JobState &
  (
    | { kind: 'click'; landing: string; body: Partial<TrackClickRequest> }
    | { kind: 'lead'; body: Partial<TrackLeadRequest> }
  );

/** The click as it is stored. */
export interface StoredClick extends KeptClick {
  /** Domain of the cookie, empty for this host alone. */
  domain: string;
  /** Whether the tracker wrote the cookie; if not, the server's own `Set-Cookie` did. */
  isOwnCookie: boolean;
}

/** All that the tracker keeps besides the cookie. */
export interface Saved {
  click?: StoredClick | undefined;
  /** What was tracked. */
  landings: { url: string; at: number }[];
  jobs: Job[];
}

type StoreContext = Pick<Context, 'config' | 'shared'> & {
  readonly win: { readonly localStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> };
};

/** Another form of `Saved` would need another name. */
const entryName = ({ config }: StoreContext) => `affkit1:${config.cookieName}`;

/** A new job's key and times. `randomUUID` would need https. */
export function newJob(win: { readonly crypto: Pick<Crypto, 'getRandomValues'> }): JobState {
  return { key: win.crypto.getRandomValues(new Uint32Array(4)).join('-'), at: Date.now(), heldUntil: 0 };
}

/** What is still valid: a click within its window, landings of 30 minutes, the newest 20 jobs of 24 hours. */
export function read(context: StoreContext): Saved {
  const name = entryName(context);
  const now = Date.now();
  const youngerThan = (ms: number) => (entry: { at: number }) => now - entry.at < ms;
  try {
    const saved: Saved = JSON.parse(
      context.shared.memory[name] || context.win.localStorage.getItem(name) || '',
    );
    return {
      click: saved.click && saved.click.expiresAt > now ? saved.click : undefined,
      landings: saved.landings.filter(youngerThan(LANDING_MS)),
      jobs: saved.jobs.filter(youngerThan(JOB_MS)).slice(-MAX_JOBS),
    };
  } catch {
    return { landings: [], jobs: [] };
  }
}

/**
 * Reads, changes and writes in one turn. What localStorage does not take stays with the page. No e-mail
 * address is ever written: a lead that waits goes without.
 */
export function update(context: StoreContext, change: (saved: Saved) => void): void {
  const saved = read(context);
  change(saved);
  write(
    context,
    JSON.stringify(saved, (field, value) => (field === 'email' ? undefined : value)),
  );
}

/** Forgets everything. */
export function clear(context: StoreContext): void {
  write(context, '');
}

function write(context: StoreContext, text: string): void {
  const name = entryName(context);
  context.shared.memory[name] = '';
  try {
    if (text) context.win.localStorage.setItem(name, text);
    else context.win.localStorage.removeItem(name);
  } catch {
    context.shared.memory[name] = text;
  }
}
