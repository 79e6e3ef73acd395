import type { Device, GeoPlace, Runtime } from '../runtime.ts';

/** What is kept of a visit, derived on the server where service.md says so. */
export interface Visit {
  readonly sessionId: string | null;
  readonly pageUrl: string | null;
  readonly referrerUrl: string | null;
  readonly geo: GeoPlace;
  readonly device: Device;
  /** Further things the visit said of itself, as JSON. */
  readonly details: string | null;
}

/** What a click's body says of the visit; every field may be missing. */
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

/** What reads it keeps what it read, so that the header must not be longer than the field may be. */
const MAX_USER_AGENT_LENGTH = 1024;

const NOWHERE: GeoPlace = { country: null, region: null, city: null };

/** @param ip serves the look-up of the place and is not kept */
export function readVisit(
  runtime: Runtime,
  fields: VisitFields,
  headers: { readonly userAgent: string | undefined; readonly ip: string | null },
): Visit {
  const said = fields.user_agent?.trim() === '' ? undefined : fields.user_agent;
  const userAgent = (said ?? headers.userAgent ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  const { page_title, screen_resolution, viewport_size, language, timezone } = fields;
  const details = { page_title, screen_resolution, viewport_size, language, timezone };
  return {
    sessionId: fields.session_id ?? null,
    pageUrl: keepHttpUrl(fields.page_url),
    referrerUrl: keepHttpUrl(fields.referrer_url),
    geo: (headers.ip === null ? null : runtime.locate(headers.ip)) ?? NOWHERE,
    device: runtime.readDevice(userAgent),
    details: Object.values(details).some((value) => value !== undefined) ? JSON.stringify(details) : null,
  };
}

/** Only web addresses are stored, so that whoever shows one as a link shows no script. */
export function keepHttpUrl(url: string | undefined): string | null {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : null;
}
