import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { landingUrl, partnerCode, withParam } from './landing.ts';

/** Returns the landing URL if the address bar shows `href` and the document was requested as `requested`. */
function landingAt(href: string, requested?: string): string {
  vi.stubGlobal('location', new URL(href));
  vi.stubGlobal('performance', {
    getEntriesByType: () => (requested === undefined ? [] : [{ name: requested }]),
  });
  return landingUrl();
}

beforeEach(() => configure({}));
afterEach(() => vi.unstubAllGlobals());

describe('partnerCode', () => {
  it('returns the first non-empty value', () => {
    expect(partnerCode('https://shop.example/?aff=&aff=ann&aff=bob', 'aff')).toBe('ann');
    expect(partnerCode('https://shop.example/?aff=a%20b', 'aff')).toBe('a b');
  });

  it('ignores the fragment and other parameters', () => {
    expect(partnerCode('https://shop.example/?AFF=x&affx=y#?aff=z', 'aff')).toBe(undefined);
  });
});

describe('landingUrl', () => {
  it('returns the requested URL if the address bar has no code', () => {
    const requested = 'https://shop.example/a?aff=ann&x=1';
    expect(landingAt('https://shop.example/b', requested)).toBe(requested);
  });

  it('returns the address bar if it has a code', () => {
    const here = 'https://shop.example/b?aff=bob';
    expect(landingAt(here, 'https://shop.example/?aff=ann')).toBe(here);
  });

  it('returns the address bar if the requested URL is unknown or has another origin', () => {
    const here = 'https://shop.example/b';
    expect(landingAt(here)).toBe(here);
    expect(landingAt(here, 'https://shop.example.evil.test/?aff=x')).toBe(here);
    expect(landingAt(here, 'document')).toBe(here);
  });
});

it('withParam removes a parameter', () => {
  expect(withParam('https://shop.example/?x=1&_affkit=2#top', '_affkit')).toBe(
    'https://shop.example/?x=1#top',
  );
});

it('withParam adds a code unless the URL already has it', () => {
  expect(withParam('https://shop.example/?q=a%20b&aff=ann', 'aff', 'ann')).toBe(
    'https://shop.example/?q=a%20b&aff=ann',
  );
  expect(withParam('https://shop.example/?ref=ann&aff=x&aff=y', 'aff', 'ann')).toBe(
    'https://shop.example/?ref=ann&aff=ann',
  );
});
