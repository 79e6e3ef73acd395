import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { GeoPlace } from '@affkit/core';
import { parseIp } from './ip-parser.ts';
import { openRangeFile, openRecords, type RangeLayout, readExactly } from './range-file.ts';

/** Tells places of addresses. */
export interface Locator {
  readonly locate: (ip: string) => GeoPlace | null;
  /** After this every place is unknown. */
  readonly close: () => void;
}

const RANGES_4: RangeLayout = { recordSize: 24, last: 4, value: 8, hasLow: false };
const RANGES_6: RangeLayout = { recordSize: 48, last: 16, value: 32, hasLow: true };

/** Where a record of a place has what, in bytes; texts end at a zero, or at their end. */
const PLACE = { size: 88, country: [0, 2], region: [2, 5], city: [42, 88] } as const;

/** What a range of an unknown place stands for. */
const NO_PLACE = 0xffff_ffff;
const NOWHERE: GeoPlace = { country: null, region: null, city: null };

/** Each costs a hundred bytes or two. Those kept are forgotten all at once. */
const MAX_KEPT = 4_000;

/** First and last address of 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16. */
const PRIVATE_RANGES: readonly (readonly [number, number])[] = [
  [0x0a00_0000, 0x0aff_ffff],
  [0xac10_0000, 0xac1f_ffff],
  [0xc0a8_0000, 0xc0a8_ffff],
];

/**
 * Gives the answers of geoip-lite 1.4 from its own data files without loading them: 140 MB stay on the disk, and in the
 * memory of the operating system for as long as it has that to spare.
 * @param folder its `data`
 * @throws when a file is missing or damaged
 */
export function openGeoDatabase(folder: string): Locator {
  const opened: { close(): void }[] = [];
  const close = () => {
    for (const file of opened.splice(0)) file.close();
  };
  try {
    const places = openPlaceTable(join(folder, 'geoip-city-names.dat'));
    opened.push(places);
    const ranges4 = openRangeFile(join(folder, 'geoip-city.dat'), RANGES_4);
    opened.push(ranges4);
    const ranges6 = openRangeFile(join(folder, 'geoip-city6.dat'), RANGES_6);
    opened.push(ranges6);
    const read = (place: number | null) => (place === null ? null : places.read(place));
    // Not by the text of an address: that can hold the whole header that it was cut out of.
    const recent = new Map<number, GeoPlace>();
    return {
      locate: (ip) => {
        // Their numbers may be those of other files by now.
        if (opened.length === 0) return null;
        const address = parseIp(ip);
        if (!address) return null;
        const { version, high, low } = address;
        if (version === 6) return read(ranges6.find(high, low));
        const known = recent.get(high);
        if (known) return known;
        if (PRIVATE_RANGES.some(([first, last]) => first <= high && high <= last)) return null;
        const place = read(ranges4.find(high, 0));
        if (place) keep(recent, high, place);
        return place;
      },
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function openPlaceTable(path: string): { read(place: number): GeoPlace | null; close(): void } {
  const { fd } = openRecords(path, PLACE.size);
  const record = Buffer.alloc(PLACE.size);
  const known = new Map<number, GeoPlace>();
  const text = ([begin, end]: readonly [number, number]) => {
    const zero = record.indexOf(0, begin);
    return record.toString('utf8', begin, zero === -1 ? end : Math.min(zero, end)) || null;
  };
  return {
    read: (place) => {
      if (place === NO_PLACE) return NOWHERE;
      const kept = known.get(place);
      if (kept) return kept;
      if (!readExactly(fd, record, PLACE.size, place * PLACE.size)) return null;
      const read = { country: text(PLACE.country), region: text(PLACE.region), city: text(PLACE.city) };
      keep(known, place, read);
      return read;
    },
    close: () => closeSync(fd),
  };
}

function keep(known: Map<number, GeoPlace>, key: number, place: GeoPlace): void {
  if (known.size >= MAX_KEPT) known.clear();
  known.set(key, place);
}
