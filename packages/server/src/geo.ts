import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import type { CityResponse } from 'maxmind';
import { ConfigError, type GeoipSource } from './config.ts';
import { summarizeError } from './error-summary.ts';
import { type Locator, openGeoDatabase } from './geo-database.ts';

const require = createRequire(import.meta.url);

/**
 * What tells the place of an address.
 * @param dataFolder of geoip-lite's files. @default where geoip-lite itself looks for them
 * @throws ConfigError when they, or the `.mmdb` file, can't be read
 */
export async function createLocator(
  source: GeoipSource,
  dataFolder: () => string = findDataFolder,
): Promise<Locator> {
  switch (source.kind) {
    case 'off':
      return { locate: () => null, close: () => {} };
    case 'geoip-lite':
      try {
        return openGeoDatabase(dataFolder());
      } catch (error) {
        throw new ConfigError(
          'GEOIP',
          `has no data of geoip-lite: ${summarizeError(error)}. Install the dependencies again, or set it to off or the path of an .mmdb file`,
        );
      }
    case 'mmdb':
      return { locate: await openDatabase(source.path), close: () => {} };
  }
}

function findDataFolder(): string {
  const folder = process.env['GEODATADIR'];
  // As geoip-lite has it: relative to its code, and an empty variable counts as absent.
  return resolve(dirname(require.resolve('geoip-lite')), folder || '../data');
}

async function openDatabase(path: string): Promise<Locator['locate']> {
  const { default: maxmind } = await import('maxmind');
  try {
    const reader = await maxmind.open<CityResponse>(path);
    return (ip) => {
      // A database of countries has the same shape, without the rest.
      const place = maxmind.validate(ip) ? reader.get(ip) : null;
      return (
        place && {
          country: place.country?.iso_code ?? null,
          region: place.subdivisions?.[0]?.iso_code ?? null,
          city: place.city?.names.en ?? null,
        }
      );
    };
  } catch (error) {
    throw new ConfigError('GEOIP', `can't be read: ${summarizeError(error)}`);
  }
}
