import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import geoip from 'geoip-lite';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { propertyRuns } from '../../core/test/support/test-depth.ts';
import { type Locator, openGeoDatabase } from './geo-database.ts';

const DATA = resolve(createRequire(import.meta.url).resolve('geoip-lite'), '../../data');
const ROUNDS = propertyRuns({ short: 5_000, long: 100_000 });

let files: Locator;
let ranges4: Buffer;
let ranges6: Buffer;

beforeAll(() => {
  files = openGeoDatabase(DATA);
  ranges4 = readFileSync(join(DATA, 'geoip-city.dat'));
  ranges6 = readFileSync(join(DATA, 'geoip-city6.dat'));
  return () => files.close();
});

const lookup: Locator['locate'] = (ip) => {
  const place = geoip.lookup(ip);
  return place && { country: place.country || null, region: place.region || null, city: place.city || null };
};

const sameAsGeoipLite = (ip: string): void => {
  const [place, expected] = [files.locate(ip), lookup(ip)];
  // In a hundred thousand rounds the assertion itself would take most of the time.
  if (!isDeepStrictEqual(place, expected)) expect({ ip, place }).toEqual({ ip, place: expected });
};

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
const hexadecimal = (value: number) => `${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`;

test('any IPv4 address has the place that geoip-lite gives it', () => {
  fc.assert(
    fc.property(word, (value) => sameAsGeoipLite(dotted(value))),
    ROUNDS,
  );
});

test('any IPv6 address has the place that geoip-lite gives it, however it is written', () => {
  const upper = fc.integer({ min: 0x2000_0000, max: 0x2fff_ffff });
  fc.assert(
    fc.property(upper, word, word, (first, second, last) => {
      const start = `${hexadecimal(first)}:${hexadecimal(second)}`;
      sameAsGeoipLite(`${start}:${hexadecimal(last)}:${hexadecimal(second)}`);
      sameAsGeoipLite(`${start}::${(last & 0xffff).toString(16)}`);
      sameAsGeoipLite(`${hexadecimal(first)}::${hexadecimal(last)}`);
    }),
    ROUNDS,
  );
});

test('an IPv4 address within an IPv6 one has the place that geoip-lite gives it', () => {
  fc.assert(
    fc.property(word, word, (value, other) => {
      sameAsGeoipLite(`::ffff:${dotted(value)}`);
      sameAsGeoipLite(`0:0:0:0:0:FFFF:${dotted(value)}`);
      sameAsGeoipLite(`::ffff:${hexadecimal(value)}`);
      sameAsGeoipLite(`::${dotted(value)}`);
      sameAsGeoipLite(`${hexadecimal(other)}::${dotted(value)}`);
    }),
    ROUNDS,
  );
});

test('a range has its place from its first address to its last', () => {
  const line = fc.integer({ min: 0, max: ranges4.length / 24 - 1 });
  fc.assert(
    fc.property(line, (index) => {
      const [first = 0, last = 0] = words(ranges4, index * 24, 2);
      for (const value of [first - 1, first, last, last + 1]) sameAsGeoipLite(dotted(value));
    }),
    ROUNDS,
  );
});

test('a range of IPv6 has its place from its first address to its last', () => {
  const line = fc.integer({ min: 0, max: ranges6.length / 48 - 1 });
  fc.assert(
    fc.property(line, (index) => {
      const bounds = words(ranges6, index * 48, 8);
      for (const address of [bounds.slice(0, 4), bounds.slice(4)]) {
        sameAsGeoipLite(address.map(hexadecimal).join(':'));
        const [high = 0, low = 0] = address;
        for (const beside of [low - 1, low + 1]) {
          sameAsGeoipLite(`${hexadecimal(high)}:${hexadecimal(beside >>> 0)}::1:2`);
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
])('%j has the place that geoip-lite gives it', (ip) => {
  sameAsGeoipLite(ip);
});

test('an address asked for again has the same place', () => {
  for (const ip of ['81.2.69.160', '8.8.8.8', '2a00:1450:4001:81b::200e', '10.0.0.1']) {
    expect(files.locate(ip)).toEqual(files.locate(ip));
    sameAsGeoipLite(ip);
  }
});

test('a missing file is named', () => {
  expect(() => openGeoDatabase(makeFolder({ 'geoip-city-names.dat': 88 }))).toThrow(
    /ENOENT.*geoip-city\.dat/,
  );
});

test.each([
  { 'geoip-city-names.dat': 87, 'geoip-city.dat': 24, 'geoip-city6.dat': 48 },
  { 'geoip-city-names.dat': 88, 'geoip-city.dat': 25, 'geoip-city6.dat': 48 },
  { 'geoip-city-names.dat': 88, 'geoip-city.dat': 24, 'geoip-city6.dat': 0 },
])('a file that was cut off is named: %j', (sizes) => {
  expect(() => openGeoDatabase(makeFolder(sizes))).toThrow(
    /geoip-city[^ ]*\.dat is damaged: it has \d+ bytes/,
  );
});

test('a place that the files do not have is unknown, and so is every place once they are closed', () => {
  const locator = openGeoDatabase(
    makeFolder({ 'geoip-city-names.dat': 88, 'geoip-city.dat': 24, 'geoip-city6.dat': 48 }),
  );
  // One range, of 0.0.0.0 alone, for the first place, whose texts are empty.
  expect(locator.locate('0.0.0.0')).toEqual({ country: null, region: null, city: null });
  expect(locator.locate('0.0.0.1')).toBeNull();
  locator.close();
  expect(locator.locate('0.0.0.0')).toBeNull();
});

test('private addresses have no place, whatever the files say', () => {
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

/** @param sizes of files of zeros */
function makeFolder(sizes: Readonly<Record<string, number>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-places-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, size] of Object.entries(sizes)) writeFileSync(join(folder, name), Buffer.alloc(size));
  return folder;
}

function words(file: Buffer, position: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => file.readUInt32BE(position + index * 4));
}
