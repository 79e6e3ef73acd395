import type { TrackClickRequest } from '@affkit/protocol';

/** Returns the fields of a click for page and browser. The server reads the user agent from its header. */
export function describeVisit(): Partial<TrackClickRequest> {
  return {
    page_url: location.href,
    page_title: document.title,
    referrer_url: document.referrer,
    screen_resolution: `${screen.width}x${screen.height}`,
    viewport_size: `${innerWidth}x${innerHeight}`,
    language: navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
