import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { GeoPlace } from '@affkit/core';
import { parseIp } from './ip-parser.ts';
import { openIpRangeFile, openRecords, type RangeLayout, readExactly } from './ip-range-file.ts';

/** Maps IP addresses to locations. */
export interface GeoLocator {
  /** @returns `null` if the location is unknown or the text is not a valid address */
  readonly locate: (ip: string) => GeoPlace | null;
  /** Closes the files. After that, `locate` always returns `null`. */
  readonly close: () => void;
}

const RANGES_4: RangeLayout = { recordSize: 24, last: 4, value: 8, hasLow: false };
const RANGES_6: RangeLayout = { recordSize: 48, last: 16, value: 32, hasLow: true };

/**
 * The size of a location record, and the byte ranges of its texts. A text ends at a zero byte or at the end
 * of its range.
 */
const LOCATION = { size: 88, country: [0, 2], region: [2, 5], city: [42, 88] } as const;

/** The value of a range that has no location. */
const NO_LOCATION = 0xffff_ffff;
const UNKNOWN_LOCATION: GeoPlace = { country: null, region: null, city: null };

/** A cached location takes 100 to 200 bytes. When the cache is full, it is cleared. */
const MAX_CACHED = 4_000;

/** The first and the last address of 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16. */
const PRIVATE_RANGES: readonly (readonly [number, number])[] = [
  [0x0a00_0000, 0x0aff_ffff],
  [0xac10_0000, 0xac1f_ffff],
  [0xc0a8_0000, 0xc0a8_ffff],
];

/**
 * Returns the same results as geoip-lite 1.4, but reads the data files on demand. The 146 MB of data are not
 * loaded into the process. They remain on the disk and in the page cache of the operating system.
 * @param folder the `data` folder of geoip-lite
 * @throws Error when a file is missing or damaged
 */
export function openGeoDatabase(folder: string): GeoLocator {
  const opened: { close(): void }[] = [];
  const close = () => {
    for (const file of opened.splice(0)) file.close();
  };
  try {
    const locations = openLocationTable(join(folder, 'geoip-city-names.dat'));
    opened.push(locations);
    const ranges4 = openIpRangeFile(join(folder, 'geoip-city.dat'), RANGES_4);
    opened.push(ranges4);
    const ranges6 = openIpRangeFile(join(folder, 'geoip-city6.dat'), RANGES_6);
    opened.push(ranges6);
    const read = (index: number | null) => (index === null ? null : locations.read(index));
    // The keys are numbers. A string key could be a substring of a header, and V8 would then keep the whole header in
    // memory.
    const cache = new Map<number, GeoPlace>();
    return {
      locate: (ip) => {
        // Do not read after `close`: the operating system may have reused the file descriptors for other files.
        if (opened.length === 0) return null;
        const address = parseIp(ip);
        if (!address) return null;
        const { version, high, low } = address;
        if (version === 6) return read(ranges6.find(high, low));
        const cached = cache.get(high);
        if (cached) return cached;
        if (PRIVATE_RANGES.some(([first, last]) => first <= high && high <= last)) return null;
        const location = read(ranges4.find(high, 0));
        if (location) addToCache(cache, high, location);
        return location;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function openLocationTable(path: string): { read(index: number): GeoPlace | null; close(): void } {
  const { fd } = openRecords(path, LOCATION.size);
  const record = Buffer.alloc(LOCATION.size);
  const cache = new Map<number, GeoPlace>();
  const text = ([begin, end]: readonly [number, number]) => {
    const zero = record.indexOf(0, begin);
    return record.toString('utf8', begin, zero === -1 ? end : Math.min(zero, end)) || null;
  };
  return {
    read: (index) => {
      if (index === NO_LOCATION) return UNKNOWN_LOCATION;
      const cached = cache.get(index);
      if (cached) return cached;
      if (!readExactly(fd, record, LOCATION.size, index * LOCATION.size)) return null;
      const location = {
        country: text(LOCATION.country),
        region: text(LOCATION.region),
        city: text(LOCATION.city),
      };
      addToCache(cache, index, location);
      return location;
    },
    close: () => closeSync(fd),
  };
}

function addToCache(cache: Map<number, GeoPlace>, key: number, location: GeoPlace): void {
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, location);
}
