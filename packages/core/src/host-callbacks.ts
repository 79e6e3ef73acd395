import type { Admit } from './http/handle.ts';
import { throttledWarning } from './http/throttled-warning.ts';
import type { Device, GeoPlace, Runtime } from './runtime.ts';

/** What the embedding app gives, of which none may cost an event. */
export interface GivenFunctions {
  readonly locate: (ip: string) => GeoPlace | null;
  readonly readDevice: (userAgent: string) => Device;
  readonly admit: Admit | undefined;
}

const UNKNOWN_DEVICE: Device = { type: 'unknown', os: null, browser: null };
const PAUSE_MS = 60_000;

/**
 * The same functions, which never fail: where they do, or answer something else than they should, the place is unknown,
 * the device is unknown, and the request is let in. The operator is told of each kind at once, then once a minute.
 */
export function guardFunctions(given: GivenFunctions, runtime: Pick<Runtime, 'log' | 'now'>): GivenFunctions {
  const { locate, readDevice, admit } = given;
  const warnOfLocate = throttledWarning(runtime, PAUSE_MS);
  const warnOfReadDevice = throttledWarning(runtime, PAUSE_MS);
  const warnOfAdmit = throttledWarning(runtime, PAUSE_MS);
  return {
    locate: (ip) => {
      try {
        const place = requireValue(locate(ip));
        return place && { country: text(place.country), region: text(place.region), city: text(place.city) };
      } catch (error) {
        warnOfLocate(error, 'locate failed: places are unknown');
        return null;
      }
    },
    readDevice: (userAgent) => {
      try {
        const { type, os, browser } = requireValue(readDevice(userAgent));
        return { type: text(type) ?? UNKNOWN_DEVICE.type, os: text(os), browser: text(browser) };
      } catch (error) {
        warnOfReadDevice(error, 'readDevice failed: devices are unknown');
        return UNKNOWN_DEVICE;
      }
    },
    admit:
      admit &&
      (async (request) => {
        try {
          return await admit(request);
        } catch (error) {
          warnOfAdmit(error, 'admit failed: requests are let in');
          return null;
        }
      }),
  };
}

/** @throws TypeError for a promise, which nobody waits for */
function requireValue<T>(value: T): T {
  if (!(value instanceof Promise)) return value;
  value.catch(() => {});
  throw new TypeError('It must answer at once, not by a promise');
}

/** Databases refuse a field that is missing, or of another type. */
function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
