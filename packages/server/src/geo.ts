import type { GeoPlace } from '@affkit/core';
import type { CityResponse } from 'maxmind';
import { ConfigError, type GeoipSource } from './config.ts';

/**
 * What tells the place of an address; its data is loaded here.
 * @throws ConfigError when the `.mmdb` file can't be read
 */
export async function createLocator(source: GeoipSource): Promise<(ip: string) => GeoPlace | null> {
  switch (source.kind) {
    case 'off':
      return () => null;
    case 'geoip-lite': {
      const { default: geoip } = await import('geoip-lite');
      return (ip) => {
        const place = geoip.lookup(ip);
        return (
          place && { country: place.country || null, region: place.region || null, city: place.city || null }
        );
      };
    }
    case 'mmdb':
      return openDatabase(source.path);
  }
}

async function openDatabase(path: string): Promise<(ip: string) => GeoPlace | null> {
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
    throw new ConfigError(
      'GEOIP',
      `can't be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
