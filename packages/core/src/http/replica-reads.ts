import type { Runtime } from '../runtime.ts';
import type { Engine } from '../storage/database/engine/engine.ts';
import type { HttpRequest } from './message.ts';
import { readCookie, usesHttps } from './session-cookie.ts';

/** The cookie of a browser whose user has made a change that a replica may not have yet. */
const COOKIE = 'affkit-changed';
/**
 * The cookie lives for the maximum lag of the replica plus this margin. The margin covers the time until the
 * response has arrived and a slow page has loaded.
 */
const COOKIE_MARGIN_SECONDS = 5;

const replicaEngines = new WeakMap<Engine, Engine>();

/**
 * Returns a runtime that reads from the replica. It reads from the primary in three cases: there is no
 * replica, the user of this browser has just made a change, or the request has `Cache-Control: no-cache`.
 */
export function withReplicaReads(runtime: Runtime, request: Pick<HttpRequest, 'header' | 'secure'>): Runtime {
  const { engine } = runtime;
  if (!engine.replica || needsPrimary(request)) return runtime;
  const known = replicaEngines.get(engine) ?? replicaEngineOf(engine, engine.replica);
  replicaEngines.set(engine, known);
  return { ...runtime, engine: known };
}

/**
 * Returns a cookie that makes the browser's requests read from the primary, until every usable replica has the
 * user's changes. Null if there is no replica, or if the changes were not made by a signed-in user. The browser
 * sends the cookie to every server of the service, so all of them read from the primary.
 */
export function changedCookie(
  runtime: Runtime,
  request: Pick<HttpRequest, 'header' | 'secure'>,
): string | null {
  const { engine, author } = runtime;
  if (!engine.replica || author?.kind !== 'user') return null;
  const seconds = Math.ceil(engine.replica.maxLagMs / 1000) + COOKIE_MARGIN_SECONDS;
  const secure = usesHttps(runtime, request) ? '; Secure' : '';
  return `${COOKIE}=1; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
}

function needsPrimary(request: Pick<HttpRequest, 'header'>): boolean {
  const directives = request.header('cache-control')?.toLowerCase().split(',') ?? [];
  return directives.some((each) => each.trim() === 'no-cache') || readCookie(request, COOKIE) !== undefined;
}

function replicaEngineOf(engine: Engine, replica: NonNullable<Engine['replica']>): Engine {
  return {
    ...engine,
    read: replica.read,
    // If the replica is further behind, reads use the primary.
    dataAgeMs: () => Math.min(replica.state().lagMs ?? replica.maxLagMs, replica.maxLagMs),
    snapshot: (body) => replica.snapshot(body),
    write: () => Promise.reject(new Error('A route that reads from a replica must not write')),
  };
}
