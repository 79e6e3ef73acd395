import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { encodeDatabase } from '../test/mmdb.ts';
import { ConfigError } from './config.ts';
import { createLocator } from './geo.ts';

test('geoip-lite knows the country of a public address, and nothing of a private one', async () => {
  const { locate, close } = await createLocator({ kind: 'geoip-lite' });
  onTestFinished(close);
  expect(locate('81.2.69.160')).toMatchObject({ country: 'GB' });
  expect(locate('8.8.8.8')).toEqual({ country: 'US', region: null, city: null });
  expect(locate('127.0.0.1')).toBeNull();
  expect(locate('unknown')).toBeNull();
});

test('data of geoip-lite that is not there is named with its variable, and with what to do', async () => {
  const opened = createLocator({ kind: 'geoip-lite' }, () => '/nowhere');
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(
    /^GEOIP has no data of geoip-lite: .*\/nowhere\/.*\. Install the dependencies again, or set it to off /,
  );
});

test('data of geoip-lite is also found where its own variable says', async () => {
  vi.stubEnv('GEODATADIR', '/elsewhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(createLocator({ kind: 'geoip-lite' })).rejects.toThrow('/elsewhere/');
});

test('switched off, every place is unknown', async () => {
  const { locate } = await createLocator({ kind: 'off' });
  expect(locate('81.2.69.160')).toBeNull();
});

test('a database that is not there is named with its variable', async () => {
  const opened = createLocator({ kind: 'mmdb', path: '/nowhere/city.mmdb' });
  await expect(opened).rejects.toThrow(ConfigError);
  await expect(opened).rejects.toThrow(/^GEOIP can't be read: .*\/nowhere\/city\.mmdb/);
});

test("a database of one's own gives codes of country and region, and the English name of the city", async () => {
  const { locate } = await createLocator({
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

test('a database of countries leaves the rest unknown', async () => {
  const path = write(encodeDatabase({ country: { iso_code: 'DE' } }));
  const { locate } = await createLocator({ kind: 'mmdb', path });
  expect(locate('203.0.113.7')).toEqual({ country: 'DE', region: null, city: null });
});

test('a file that is no database is named with its variable', async () => {
  const opened = createLocator({ kind: 'mmdb', path: write(Buffer.from('no database')) });
  await expect(opened).rejects.toThrow(/^GEOIP can't be read: /);
});

function write(content: Buffer): string {
  const folder = mkdtempSync(join(tmpdir(), 'affkit-geo-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'city.mmdb');
  writeFileSync(path, content);
  return path;
}
