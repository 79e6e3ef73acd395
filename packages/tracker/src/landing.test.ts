import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { landingUrl, partnerCode, withParam } from './landing.ts';

/** The landing URL of a page at that address. */
function landingAt(href: string, requested?: string): string {
  vi.stubGlobal('location', new URL(href));
  vi.stubGlobal('performance', {
    getEntriesByType: () => (requested === undefined ? [] : [{ name: requested }]),
  });
  return landingUrl();
}

beforeEach(() => configure({}));
afterEach(() => vi.unstubAllGlobals());

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
    expect(landingAt('https://shop.example/b', requested)).toBe(requested);
  });

  it('is the address bar when that has a code', () => {
    const here = 'https://shop.example/b?aff=bob';
    expect(landingAt(here, 'https://shop.example/?aff=ann')).toBe(here);
  });

  it('is the address bar when the request is unknown or was for another origin', () => {
    const here = 'https://shop.example/b';
    expect(landingAt(here)).toBe(here);
    expect(landingAt(here, 'https://shop.example.evil.test/?aff=x')).toBe(here);
    expect(landingAt(here, 'document')).toBe(here);
  });
});

it('takes a parameter out of a URL', () => {
  expect(withParam('https://shop.example/?x=1&_affkit=2#top', '_affkit')).toBe(
    'https://shop.example/?x=1#top',
  );
});

it('puts a code into a URL only where it is not there yet', () => {
  expect(withParam('https://shop.example/?q=a%20b&aff=ann', 'aff', 'ann')).toBe(
    'https://shop.example/?q=a%20b&aff=ann',
  );
  expect(withParam('https://shop.example/?ref=ann&aff=x&aff=y', 'aff', 'ann')).toBe(
    'https://shop.example/?ref=ann&aff=ann',
  );
});
