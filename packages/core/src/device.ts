import UAParser from 'ua-parser-js';
import { flattenString } from './domain/flatten-string.ts';
import type { Device } from './runtime.ts';

const CACHED_AGENTS = 5_000;

/**
 * A reader of user agents by ua-parser-js. Visits share few agents, so what was read is kept; when the cache is
 * full its older half goes.
 */
export function createDeviceReader(): (userAgent: string) => Device {
  let recent = new Map<string, Device>();
  let older = new Map<string, Device>();
  return (userAgent) => {
    const known = recent.get(userAgent);
    if (known) return known;
    const device = older.get(userAgent) ?? parse(userAgent);
    if (recent.size >= CACHED_AGENTS / 2) {
      older = recent;
      recent = new Map();
    }
    recent.set(flattenString(userAgent), device);
    return device;
  };
}

function parse(userAgent: string): Device {
  const { device, os, browser } = new UAParser(userAgent).getResult();
  return { type: device.type ?? 'desktop', os: os.name ?? null, browser: browser.name ?? null };
}
