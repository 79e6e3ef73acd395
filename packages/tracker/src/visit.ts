import type { TrackClickRequest } from '@affkit/protocol';
import { attempt, documentProperty } from './page.ts';

/** Undefined in older browsers. */
declare const Temporal: { readonly Now: { timeZoneId(): string } };

/**
 * Returns the fields of a click that describe the page and the browser. The user agent is not included,
 * because the server reads it from the request header.
 */
export function describeVisit(): Partial<TrackClickRequest> {
  return {
    // Avoid the formatter if possible. It loads the data of its locale, which takes 100 ms on a slow phone.
    timezone: attempt(() => Temporal.Now.timeZoneId()) || Intl.DateTimeFormat().resolvedOptions().timeZone,
    // biome-ignore lint/style/useTemplate: shorter in the script.
    screen_resolution: screen.width + 'x' + screen.height,
    // biome-ignore lint/style/useTemplate: shorter in the script.
    viewport_size: innerWidth + 'x' + innerHeight,
    language: navigator.language,
    referrer_url: documentProperty('referrer'),
    page_title: documentProperty('title'),
  };
}
