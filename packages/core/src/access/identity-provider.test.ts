import { expect, test } from 'vitest';
import { createIdentityProvider, type IdentityProviderOptions } from './identity-provider.ts';

const OPTIONS: IdentityProviderOptions = {
  jwksUrl: 'https://id.example/keys',
  issuer: 'https://id.example',
  audience: 'affkit',
};

test.each(['jwksUrl', 'issuer', 'audience'])('throws when %s is missing or empty', (name) => {
  for (const value of [undefined, null, '', ' ']) {
    const options = { ...OPTIONS, [name]: value };
    expect(() => createIdentityProvider(options)).toThrow(
      new RangeError(`identityProvider.${name} is missing or empty`),
    );
  }
});

test.each(['id.example/keys', 'https://', 'ftp://id.example/keys'])(
  'throws when jwksUrl is not an http or https URL: %s',
  (jwksUrl) => {
    const problem = `identityProvider.jwksUrl must be an http or https URL, got "${jwksUrl}"`;
    expect(() => createIdentityProvider({ ...OPTIONS, jwksUrl })).toThrow(new RangeError(problem));
  },
);
