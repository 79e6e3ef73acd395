import type { Device, GeoPlace, Runtime } from '../runtime.ts';

/** The stored fields of a visit. Geolocation and device are derived on the server. */
export interface Visit {
  readonly sessionId: string | null;
  readonly pageUrl: string | null;
  readonly referrerUrl: string | null;
  readonly geo: GeoPlace;
  readonly device: Device;
  /** Page title, screen and viewport size, language and time zone as JSON; null when all are missing. */
  readonly details: string | null;
}

/** The fields of a click's body that describe the visit. */
export interface VisitFields {
  readonly page_url?: string | undefined;
  readonly page_title?: string | undefined;
  readonly referrer_url?: string | undefined;
  readonly session_id?: string | undefined;
  readonly user_agent?: string | undefined;
  readonly screen_resolution?: string | undefined;
  readonly viewport_size?: string | undefined;
  readonly language?: string | undefined;
  readonly timezone?: string | undefined;
}

/** `readDevice` may cache by user agent, so the header is cut to the maximum length of the field. */
const MAX_USER_AGENT_LENGTH = 1024;

const UNKNOWN_PLACE: GeoPlace = { country: null, region: null, city: null };

/** @param headers.ip used for geolocation only, never stored */
export function readVisit(
  runtime: Runtime,
  fields: VisitFields,
  headers: { readonly userAgent: string | undefined; readonly ip: string | null },
): Visit {
  const named = fields.user_agent?.trim() === '' ? undefined : fields.user_agent;
  const userAgent = (named ?? headers.userAgent ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  const { page_title, screen_resolution, viewport_size, language, timezone } = fields;
  const details = { page_title, screen_resolution, viewport_size, language, timezone };
  return {
    sessionId: fields.session_id ?? null,
    pageUrl: keepHttpUrl(fields.page_url),
    referrerUrl: keepHttpUrl(fields.referrer_url),
    geo: (headers.ip === null ? null : runtime.locate(headers.ip)) ?? UNKNOWN_PLACE,
    device: runtime.readDevice(userAgent),
    details: Object.values(details).some((value) => value !== undefined) ? JSON.stringify(details) : null,
  };
}

/** Returns http and https URLs only, so that a page that renders one as a link cannot run a script. */
export function keepHttpUrl(url: string | undefined): string | null {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : null;
}
