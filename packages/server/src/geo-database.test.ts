import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import geoip from 'geoip-lite';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { propertyRuns } from '../../core/test/support/test-depth.ts';
import { type GeoLocator, openGeoDatabase } from './geo-database.ts';

const DATA = resolve(createRequire(import.meta.url).resolve('geoip-lite'), '../../data');
const ROUNDS = propertyRuns({ short: 1_500, long: 100_000 });

let files: GeoLocator;
let ranges4: Buffer;
let ranges6: Buffer;

beforeAll(() => {
  files = openGeoDatabase(DATA);
  ranges4 = readFileSync(join(DATA, 'geoip-city.dat'));
  ranges6 = readFileSync(join(DATA, 'geoip-city6.dat'));
  return () => files.close();
});

const lookup: GeoLocator['locate'] = (ip) => {
  const found = geoip.lookup(ip);
  return found && { country: found.country || null, region: found.region || null, city: found.city || null };
};

const expectSameAsGeoipLite = (ip: string): void => {
  const [location, expected] = [files.locate(ip), lookup(ip)];
  // Call `expect` only after a mismatch, because 100,000 calls of `expect` would take most of the time of the
  // test.
  if (!isDeepStrictEqual(location, expected)) expect({ ip, location }).toEqual({ ip, location: expected });
};

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
const hexadecimal = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

test('returns the same location as geoip-lite for any IPv4 address', () => {
  fc.assert(
    fc.property(word, (value) => expectSameAsGeoipLite(dotted(value))),
    ROUNDS,
  );
});

test('returns the same location as geoip-lite for any IPv6 address in any notation', () => {
  const upper = fc.integer({ min: 0x2000_0000, max: 0x2fff_ffff });
  fc.assert(
    fc.property(upper, word, word, (first, second, last) => {
      const start = `${hexadecimal(first)}:${hexadecimal(second)}`;
      expectSameAsGeoipLite(`${start}:${hexadecimal(last)}:${hexadecimal(second)}`);
      expectSameAsGeoipLite(`${start}::${(last & 0xffff).toString(16)}`);
      expectSameAsGeoipLite(`${hexadecimal(first)}::${hexadecimal(last)}`);
    }),
    ROUNDS,
  );
});

test('returns the same location as geoip-lite for any IPv4 address inside an IPv6 address', () => {
  fc.assert(
    fc.property(word, word, (value, other) => {
      expectSameAsGeoipLite(`::ffff:${dotted(value)}`);
      expectSameAsGeoipLite(`0:0:0:0:0:FFFF:${dotted(value)}`);
      expectSameAsGeoipLite(`::ffff:${hexadecimal(value)}`);
      expectSameAsGeoipLite(`::${dotted(value)}`);
      expectSameAsGeoipLite(`${hexadecimal(other)}::${dotted(value)}`);
    }),
    ROUNDS,
  );
});

test('returns the same location as geoip-lite at both ends of an IPv4 range', () => {
  const line = fc.integer({ min: 0, max: ranges4.length / 24 - 1 });
  fc.assert(
    fc.property(line, (index) => {
      const [first = 0, last = 0] = words(ranges4, index * 24, 2);
      for (const value of [first - 1, first, last, last + 1]) expectSameAsGeoipLite(dotted(value));
    }),
    ROUNDS,
  );
});

test('returns the same location as geoip-lite at both ends of an IPv6 range', () => {
  const line = fc.integer({ min: 0, max: ranges6.length / 48 - 1 });
  fc.assert(
    fc.property(line, (index) => {
      const bounds = words(ranges6, index * 48, 8);
      for (const address of [bounds.slice(0, 4), bounds.slice(4)]) {
        expectSameAsGeoipLite(address.map(hexadecimal).join(':'));
        const [high = 0, low = 0] = address;
        for (const beside of [low - 1, low + 1]) {
          expectSameAsGeoipLite(`${hexadecimal(high)}:${hexadecimal(beside >>> 0)}::1:2`);
        }
      }
    }),
    ROUNDS,
  );
});

test.each([
  ...['0.0.0.0', '0.255.255.255', '1.0.0.0', '127.0.0.1', '169.254.0.1', '224.0.0.1', '255.255.255.255'],
  ...['9.255.255.255', '10.0.0.0', '10.255.255.255', '11.0.0.0', '192.167.255.255', '192.168.0.0'],
  ...['192.168.255.255', '192.169.0.0', '172.15.255.255', '172.16.0.0', '172.31.255.255', '172.32.0.0'],
  ...['::', '::1', '1::', '2001:db8::', '2001:db8::1', '2001:db8::5:6', '2001:4860:4860::8888', 'fe80::1'],
  ...['2001::', '2a00:1450:4001:81b::200e', 'fc00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ...[
    '::ffff:1.2.3.4',
    '::FFFF:8.8.8.8',
    '::ffff:10.0.0.1',
    '0:0:0:0:0:ffff:81.2.69.160',
    '::ffff:0:1.2.3.4',
  ],
  ...['::ffff:0102:0304', '1:2:3:4:5:6:1.2.3.4', '1:2:3:4:5:6:7::', '::2:3:4:5:6:7:8', '64:ff9b::1.2.3.4'],
  ...['fe80::1%eth0', '2001:db8::1%1:2:3:4:5:6:7:8', '', ' ', 'unknown', '1.2.3', '1.2.3.4.5', '256.1.1.1'],
  ...['01.2.3.4', '1.2.3.4 ', '1.2.3.4:80', '[::1]', ':::', '12345::', '\u0000'],
])('returns the same location as geoip-lite for %j', (ip) => {
  expectSameAsGeoipLite(ip);
});

test('returns the same location from the cache', () => {
  for (const ip of ['81.2.69.160', '8.8.8.8', '2a00:1450:4001:81b::200e', '10.0.0.1']) {
    expect(files.locate(ip)).toEqual(files.locate(ip));
    expectSameAsGeoipLite(ip);
  }
});

test('throws an error that names a missing file', () => {
  expect(() => openGeoDatabase(makeFolder({ 'geoip-city-names.dat': 88 }))).toThrow(
    /ENOENT.*geoip-city\.dat/,
  );
});

test.each([
  { 'geoip-city-names.dat': 87, 'geoip-city.dat': 24, 'geoip-city6.dat': 48 },
  { 'geoip-city-names.dat': 88, 'geoip-city.dat': 25, 'geoip-city6.dat': 48 },
  { 'geoip-city-names.dat': 88, 'geoip-city.dat': 24, 'geoip-city6.dat': 0 },
])('throws an error that names a truncated file: %j', (sizes) => {
  expect(() => openGeoDatabase(makeFolder(sizes))).toThrow(
    /geoip-city[^ ]*\.dat is damaged: it has \d+ bytes/,
  );
});

test('returns null for an address that no range contains, and for every address after close', () => {
  const locator = openGeoDatabase(
    makeFolder({ 'geoip-city-names.dat': 88, 'geoip-city.dat': 24, 'geoip-city6.dat': 48 }),
  );
  // The file of ranges contains only zeros, which is a single range with the single address 0.0.0.0. The value of the
  // range, 0, refers to the first location. This location also contains only zeros, so its texts are empty.
  expect(locator.locate('0.0.0.0')).toEqual({ country: null, region: null, city: null });
  expect(locator.locate('0.0.0.1')).toBeNull();
  locator.close();
  expect(locator.locate('0.0.0.0')).toBeNull();
});

test('returns null for private addresses even if a range contains them', () => {
  const folder = makeFolder({ 'geoip-city-names.dat': 88, 'geoip-city.dat': 24, 'geoip-city6.dat': 48 });
  const everything = Buffer.alloc(24);
  everything.writeUInt32BE(0xffff_ffff, 4);
  writeFileSync(join(folder, 'geoip-city.dat'), everything);
  const locator = openGeoDatabase(folder);
  onTestFinished(locator.close);
  expect(locator.locate('172.32.0.0')).not.toBeNull();
  expect(['10.1.2.3', '172.16.0.0', '172.31.255.255', '::ffff:192.168.0.1'].map(locator.locate)).toEqual(
    Array(4).fill(null),
  );
});

/** @param sizes the size of each file; the files contain only zeros */
function makeFolder(sizes: Readonly<Record<string, number>>): string {
  const folder = makeTempFolder();
  for (const [name, size] of Object.entries(sizes)) writeFileSync(join(folder, name), Buffer.alloc(size));
  return folder;
}

function words(file: Buffer, position: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => file.readUInt32BE(position + index * 4));
}
