import { configurationError } from '../errors.ts';

/**
 * Validates the format of a management key or session token. Error messages never contain the value.
 *
 * @throws AffkitConfigurationError if the value is missing or has the wrong format
 */
export function validateApiKey(value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw configurationError('apiKey is required: pass the option apiKey or set AFFKIT_API_KEY');
  }
  const key = value.trim();
  if (key.startsWith('aff_')) {
    throw configurationError(
      'apiKey must be a management key (affk_…) or a session token, got the tracking token of a program (aff_…)',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw configurationError('apiKey must be a management key or a session token, without spaces');
  }
  return key;
}
