import type { Admit } from './http/handle.ts';
import { throttledWarning } from './http/throttled-warning.ts';
import { Unavailable } from './rejection.ts';
import type { ApplicationToVerify, Device, GeoPlace, Runtime } from './runtime.ts';

/**
 * The functions that the embedding app passes to `createAffkit`. A failure in one of them must never lose an
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
 * Wraps the callbacks so that tracking never fails with them. When a callback fails or returns a value of the
 * wrong type, the place or device is unknown, the request is admitted, or the application gets a 503. The log has a warning at the first
 * failure of each callback, then at most one per minute.
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
        warnOfLocate(error, 'locate failed: visits are stored without a place');
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
    // A failed check must not admit spam, and an applicant can send the form again.
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

/** @throws TypeError for a promise, because callers do not await the result */
function requireSync<T>(value: T): T {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  throw new TypeError('The callback must be synchronous, but it returned a promise');
}

/**
 * Replaces a value that is not a string by null, because the database rejects missing and non-text fields.
 */
function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
