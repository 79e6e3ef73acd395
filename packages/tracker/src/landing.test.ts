import { describe, expect, it } from 'vitest';
import { landingUrl, partnerCode, withCode } from './landing.ts';

const windowAt = (href: string, requested?: string) => ({
  location: new URL(href),
  performance: { getEntriesByType: () => (requested === undefined ? [] : [{ name: requested }]) },
});

describe('the partner code', () => {
  it('is the first that is not empty', () => {
    expect(partnerCode('https://shop.example/?aff=&aff=ann&aff=bob', 'aff')).toBe('ann');
    expect(partnerCode('https://shop.example/?aff=a%20b', 'aff')).toBe('a b');
  });

  it('is not looked for in the fragment or under another name', () => {
    expect(partnerCode('https://shop.example/?AFF=x&affx=y#?aff=z', 'aff')).toBe(undefined);
  });
});

describe('the landing URL', () => {
  it('is the requested one when the code is gone from the address bar', () => {
    const requested = 'https://shop.example/a?aff=ann&x=1';
    expect(landingUrl(windowAt('https://shop.example/b', requested), 'aff')).toBe(requested);
    expect(landingUrl(windowAt('https://shop.example/b?aff=ann', requested), 'aff')).toBe(requested);
  });

  it('is the address bar when that has a newer code', () => {
    const here = 'https://shop.example/b?aff=bob';
    expect(landingUrl(windowAt(here, 'https://shop.example/?aff=ann'), 'aff')).toBe(here);
  });

  it('is the address bar when the request is unknown or was for another origin', () => {
    const here = 'https://shop.example/b';
    expect(landingUrl(windowAt(here), 'aff')).toBe(here);
    expect(landingUrl(windowAt(here, 'https://shop.example.evil.test/?aff=x'), 'aff')).toBe(here);
    expect(landingUrl(windowAt(here, 'document'), 'aff')).toBe(here);
  });
});

it('puts a code into a URL only where it is not there yet', () => {
  expect(withCode('https://shop.example/?q=a%20b&aff=ann', 'aff', 'ann')).toBe(
    'https://shop.example/?q=a%20b&aff=ann',
  );
  expect(withCode('https://shop.example/?ref=ann&aff=x&aff=y', 'aff', 'ann')).toBe(
    'https://shop.example/?ref=ann&aff=ann',
  );
});
