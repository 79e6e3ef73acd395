import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeTempFolder } from '../../core/test/support/make-temp-folder.ts';
import { encodeDatabase } from '../test/mmdb.ts';
import { ConfigError } from './config-error.ts';
import { createGeoLocator } from './geo.ts';

test('geoip-lite locates a public address and returns null for a private one', async () => {
  const { locate, close } = await createGeoLocator({ kind: 'geoip-lite' });
  onTestFinished(close);
  expect(locate('81.2.69.160')).toMatchObject({ country: 'GB' });
  expect(locate('8.8.8.8')).toEqual({ country: 'US', region: null, city: null });
  expect(locate('127.0.0.1')).toBeNull();
  expect(locate('unknown')).toBeNull();
});

test('the error names GEOIP and the remedy when the data files of geoip-lite are missing', async () => {
  const opened = createGeoLocator({ kind: 'geoip-lite' }, () => '/nowhere');
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(
    /^GEOIP can't load the data files of geoip-lite: .*\/nowhere\/.*\. Reinstall the dependencies, or set GEOIP to off /,
  );
});

test('reads the data files of geoip-lite from GEODATADIR', async () => {
  vi.stubEnv('GEODATADIR', '/elsewhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(createGeoLocator({ kind: 'geoip-lite' })).rejects.toThrow('/elsewhere/');
});

test('returns null for every address when GEOIP is off', async () => {
  const { locate } = await createGeoLocator({ kind: 'off' });
  expect(locate('81.2.69.160')).toBeNull();
});

test('the error names GEOIP when the .mmdb file is missing', async () => {
  const opened = createGeoLocator({ kind: 'mmdb', path: '/nowhere/city.mmdb' });
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(/^GEOIP can't be read: .*\/nowhere\/city\.mmdb/);
});

test('returns country code, region code and English city name from an .mmdb file', async () => {
  const { locate } = await createGeoLocator({
    kind: 'mmdb',
    path: write(
      encodeDatabase({
        country: { iso_code: 'DE', names: { en: 'Germany' } },
        subdivisions: [{ iso_code: 'BY' }, { iso_code: 'M' }],
        city: { names: { de: 'Munchen', en: 'Munich' } },
      }),
    ),
  });
  expect(locate('203.0.113.7')).toEqual({ country: 'DE', region: 'BY', city: 'Munich' });
  expect(locate('unknown')).toBeNull();
});

test('returns null for region and city with a country database', async () => {
  const path = write(encodeDatabase({ country: { iso_code: 'DE' } }));
  const { locate } = await createGeoLocator({ kind: 'mmdb', path });
  expect(locate('203.0.113.7')).toEqual({ country: 'DE', region: null, city: null });
});

test('the error names GEOIP when the .mmdb file is not a valid database', async () => {
  const opened = createGeoLocator({ kind: 'mmdb', path: write(Buffer.from('no database')) });
  await expect(opened).rejects.toThrow(/^GEOIP can't be read: /);
});

function write(content: Buffer): string {
  const folder = makeTempFolder();
  const path = join(folder, 'city.mmdb');
  writeFileSync(path, content);
  return path;
}
