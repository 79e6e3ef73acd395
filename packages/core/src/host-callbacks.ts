import type { Admit } from './http/handle.ts';
import { throttledWarning } from './http/throttled-warning.ts';
import { Unavailable } from './rejection.ts';
import type { ApplicationToVerify, Device, GeoPlace, Runtime } from './runtime.ts';

/**
 * The functions that the embedding app passes to `createAffkit`. A failure of one of them must never lose an
 * event.
 */
export interface HostCallbacks {
  readonly locate: (ip: string) => GeoPlace | null;
  readonly readDevice: (userAgent: string) => Device;
  readonly admit: Admit | undefined;
  readonly verifyApplication: (application: ApplicationToVerify) => boolean | Promise<boolean>;
}

const UNKNOWN_DEVICE: Device = { type: 'unknown', os: null, browser: null };
const WARNING_INTERVAL_MS = 60_000;

/**
 * Wraps the callbacks so that their failures do not affect tracking. A callback fails when it throws or
 * returns a value of the wrong type. Depending on the callback, the location or device is then unknown, the
 * request is admitted, or the application gets a 503. The first failure of each callback is logged as a
 * warning. After that, at most one warning per minute is logged for a callback.
 */
export function guardHostCallbacks(
  callbacks: HostCallbacks,
  runtime: Pick<Runtime, 'log' | 'now'>,
): HostCallbacks & Pick<Runtime, 'verifyApplication'> {
  const { locate, readDevice, admit, verifyApplication } = callbacks;
  const warnOfLocate = throttledWarning(runtime, WARNING_INTERVAL_MS);
  const warnOfReadDevice = throttledWarning(runtime, WARNING_INTERVAL_MS);
  const warnOfVerify = throttledWarning(runtime, WARNING_INTERVAL_MS);
  const warnOfAdmit = throttledWarning(runtime, WARNING_INTERVAL_MS);
  return {
    locate: (ip) => {
      try {
        const place = requireSync(locate(ip));
        return (
          place && {
            country: textOrNull(place.country),
            region: textOrNull(place.region),
            city: textOrNull(place.city),
          }
        );
      } catch (error) {
        warnOfLocate(error, 'locate failed: visits are stored without a location');
        return null;
      }
    },
    readDevice: (userAgent) => {
      try {
        const { type, os, browser } = requireSync(readDevice(userAgent));
        return {
          type: textOrNull(type) ?? UNKNOWN_DEVICE.type,
          os: textOrNull(os),
          browser: textOrNull(browser),
        };
      } catch (error) {
        warnOfReadDevice(error, 'readDevice failed: visits are stored with an unknown device');
        return UNKNOWN_DEVICE;
      }
    },
    admit:
      admit &&
      (async (request) => {
        try {
          return await admit(request);
        } catch (error) {
          warnOfAdmit(error, 'admit failed: requests are admitted without a rate limit');
          return null;
        }
      }),
    // If the callback fails, the application must not be accepted, because it may be spam. The applicant can
    // try again.
    verifyApplication: async (application) => {
      try {
        return (await verifyApplication(application)) === true;
      } catch (error) {
        warnOfVerify(error, 'verifyApplication failed: applications get a 503');
        throw new Unavailable('verifyApplication failed');
      }
    },
  };
}

/** @throws TypeError for a promise, because callers use the result immediately */
function requireSync<T>(value: T): T {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  throw new TypeError('The callback must be synchronous, but it returned a promise');
}

/** Removes NUL characters, which the database rejects. Returns null for a value that is not a string. */
function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value.replaceAll('\0', '') : null;
}
