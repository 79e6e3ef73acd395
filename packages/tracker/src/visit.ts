import type { TrackClickRequest } from '@affkit/protocol';

/** The part of `window` that describes a visit. */
export interface VisitWindow {
  readonly document: Pick<Document, 'title' | 'referrer'>;
  readonly location: Pick<Location, 'href'>;
  readonly navigator: Pick<Navigator, 'language'>;
  readonly screen: Pick<Screen, 'width' | 'height'>;
  readonly innerWidth: number;
  readonly innerHeight: number;
}

/** What the click request says of page and browser. The server reads the user agent from its header. */
export function describeVisit(win: VisitWindow): Partial<TrackClickRequest> {
  return {
    page_url: win.location.href,
    page_title: win.document.title,
    referrer_url: win.document.referrer,
    screen_resolution: `${win.screen.width}x${win.screen.height}`,
    viewport_size: `${win.innerWidth}x${win.innerHeight}`,
    language: win.navigator.language,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
