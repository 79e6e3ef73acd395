import { flattenString } from './domain/flatten-string.ts';
import { parseUserAgent } from './domain/user-agent.ts';
import type { Device } from './runtime.ts';

const CACHED_AGENTS = 5_000;

/**
 * Creates a function that parses user agents and caches the results. Most visits share a few user agents.
 * When the cache is full, it drops the least recently used half.
 */
export function createDeviceReader(): (userAgent: string) => Device {
  let recent = new Map<string, Device>();
  let older = new Map<string, Device>();
  return (userAgent) => {
    const cached = recent.get(userAgent);
    if (cached) return cached;
    const device = older.get(userAgent) ?? parseUserAgent(userAgent);
    if (recent.size >= CACHED_AGENTS / 2) {
      older = recent;
      recent = new Map();
    }
    recent.set(flattenString(userAgent), device);
    return device;
  };
}
