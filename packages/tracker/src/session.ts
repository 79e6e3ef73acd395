import { entryName } from './config.ts';
import { attempt, isRecent } from './page.ts';

const IDLE_MS = 30 * 60_000;

/**
 * Returns the id of the tab's session, and extends the session to 30 minutes from now. After that time, the
 * next call begins a new session. Call this function only with consent. It returns undefined if the browser
 * blocks sessionStorage.
 */
export function sessionId(): string | undefined {
  return attempt(() => {
    const now = Date.now();
    // Without an entry, the text is `undefined`, so `usedAt` is undefined and the session is not recent.
    const [id, usedAt] = `${sessionStorage[entryName]}`.split(',') as unknown as [string, number];
    // biome-ignore lint/style/useTemplate: shorter in the script.
    const current = isRecent(usedAt, IDLE_MS) ? id : now + '-' + Math.random();
    // The storage converts the array to the string `<id>,<now>`.
    sessionStorage[entryName] = [current, now];
    return current;
  });
}
