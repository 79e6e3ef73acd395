import { MAX_USER_AGENT_LENGTH, trackClickRequest } from '@affkit/protocol';
import type { z } from 'zod';
import type { GeoPlace, Runtime } from '../runtime.ts';
import type { VisitFields } from '../storage/database/click-columns.ts';

export type ClickInput = z.output<typeof trackClickRequest>;

const UNKNOWN_PLACE: GeoPlace = { country: null, region: null, city: null };

/**
 * Reads the stored fields of a visit. The server determines the location and the device.
 * @param headers.ip used only to determine the location, and never stored
 */
export function readVisit(
  runtime: Runtime,
  click: ClickInput,
  headers: { readonly userAgent: string | undefined; readonly ip: string | null },
): VisitFields {
  const named = click.user_agent?.trim() === '' ? undefined : click.user_agent;
  const userAgent = (named ?? headers.userAgent ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  const { page_title, screen_resolution, viewport_size, language, timezone } = click;
  const details = { page_title, screen_resolution, viewport_size, language, timezone };
  const place = (headers.ip === null ? null : runtime.locate(headers.ip)) ?? UNKNOWN_PLACE;
  const device = runtime.readDevice(userAgent);
  return {
    sessionId: click.session_id ?? null,
    subId: click.sub_id ?? readSubId(click.affiliate_url),
    pageUrl: keepHttpUrl(click.page_url),
    referrerUrl: keepHttpUrl(click.referrer_url),
    geoCountry: place.country,
    geoRegion: place.region,
    geoCity: place.city,
    deviceType: device.type,
    deviceOs: device.os,
    browserName: device.browser,
    details: Object.values(details).some((value) => value !== undefined) ? JSON.stringify(details) : null,
  };
}

function readSubId(affiliateUrl: string): string | null {
  // Most URLs have no `sub_id`. Skip the URL parser for them, because parsing takes longer than everything else
  // in this function.
  if (!affiliateUrl.includes('sub_id')) return null;
  const value = new URL(affiliateUrl).searchParams.get('sub_id') ?? undefined;
  return trackClickRequest.shape.sub_id.parse(value) ?? null;
}

/**
 * Returns the URL if it is an http or https URL, and null otherwise. Other URLs, such as `javascript:` URLs,
 * could run a script if a page showed them as links.
 */
export function keepHttpUrl(url: string | undefined): string | null {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : null;
}
