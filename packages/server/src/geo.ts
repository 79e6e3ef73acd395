import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { CityResponse } from 'maxmind';
import type { GeoipSource } from './config.ts';
import { ConfigError } from './config-error.ts';
import { summarizeError } from './error-summary.ts';
import { type GeoLocator, openGeoDatabase } from './geo-database.ts';

const require = createRequire(import.meta.url);

/**
 * Opens the geolocation source in `GEOIP`.
 * @param dataFolder returns the folder of the data files. @default the folder that geoip-lite uses
 * @throws ConfigError when the data files or the `.mmdb` file can't be read
 */
export async function createGeoLocator(
  source: GeoipSource,
  dataFolder: () => string = findDataFolder,
): Promise<GeoLocator> {
  switch (source.kind) {
    case 'off':
      return { locate: () => null, close: () => {} };
    case 'geoip-lite':
      try {
        return openGeoDatabase(dataFolder());
      } catch (error) {
        throw new ConfigError(
          'GEOIP',
          `can't load the data files of geoip-lite: ${summarizeError(error)}. Reinstall the dependencies, or set GEOIP to off or to the path of an .mmdb file.`,
        );
      }
    case 'mmdb':
      return { locate: await openMmdb(source.path), close: () => {} };
  }
}

function findDataFolder(): string {
  const folder = process.env['GEODATADIR'];
  // As in geoip-lite, a relative path in GEODATADIR is relative to the main file of geoip-lite. An empty value
  // counts as unset.
  return resolve(dirname(require.resolve('geoip-lite')), folder || '../data');
}

async function openMmdb(path: string): Promise<GeoLocator['locate']> {
  const { default: maxmind } = await import('maxmind');
  try {
    const reader = await maxmind.open<CityResponse>(path);
    return (ip) => {
      // A country database has the same records, but without `subdivisions` and `city`.
      const record = maxmind.validate(ip) ? reader.get(ip) : null;
      return (
        record && {
          country: record.country?.iso_code ?? null,
          region: record.subdivisions?.[0]?.iso_code ?? null,
          city: record.city?.names.en ?? null,
        }
      );
    };
  } catch (error) {
    throw new ConfigError('GEOIP', `can't be read: ${summarizeError(error)}`);
  }
}
