import { describe, expect, it } from 'vitest';
import { readCookie, widestDomain, writeCookie } from './cookie.ts';

/** A browser's jar for one host: it refuses foreign domains and the public suffixes given. */
function browserAt(url: string, publicSuffixes: string[] = []) {
  const location = new URL(url);
  const jar = new Map<string, string>();
  const written: string[] = [];
  const document = {
    get cookie() {
      return [...jar].map(([key, value]) => `${key.split('@')[0]}=${value}`).join('; ');
    },
    set cookie(text: string) {
      written.push(text);
      const [pair = '', ...attributes] = text.split('; ');
      const [name, value = ''] = pair.split('=');
      const domain = attributes.find((entry) => entry.startsWith('Domain='))?.slice(7) ?? '';
      const isOwn = !domain || location.hostname === domain || location.hostname.endsWith(`.${domain}`);
      if (!isOwn || publicSuffixes.includes(domain)) return;
      if (attributes.includes('Max-Age=0')) jar.delete(`${name}@${domain}`);
      else jar.set(`${name}@${domain}`, value);
    },
  };
  return { win: { location, document }, jar, written };
}

describe('writing a cookie', () => {
  it('asks for a Lax cookie of the whole site, Secure on https alone', () => {
    const { win, written } = browserAt('https://shop.example/');
    expect(writeCookie(win, 'id', 'clk_1', 60, 'shop.example')).toBe(true);
    expect(writeCookie(browserAt('http://shop.example/').win, 'id', 'clk_1', 60)).toBe(true);
    expect(written).toEqual(['id=clk_1; Path=/; SameSite=Lax; Max-Age=60; Domain=shop.example; Secure']);
  });

  it('tells when the browser did not take it', () => {
    expect(writeCookie(browserAt('https://shop.example/').win, 'id', 'clk_1', 60, 'other.example')).toBe(
      false,
    );
  });

  it('is a refusal, not an error, where cookies may not be touched', () => {
    const document = {
      get cookie(): string {
        throw new Error('SecurityError');
      },
      set cookie(_text: string) {
        throw new Error('SecurityError');
      },
    };
    const win = { document, location: new URL('https://shop.example/') };
    expect(writeCookie(win, 'id', 'clk_1', 60)).toBe(false);
    expect(widestDomain(win)).toBe('');
  });
});

it('reads a cookie by its whole name', () => {
  const read = (cookie: string) => readCookie({ document: { cookie } }, 'id');
  expect(read('xid=1; id=clk_1; id=clk_2')).toBe('clk_1');
  expect(read('id_x=1; a=id=2')).toBe(undefined);
  expect(read('id=')).toBe(undefined);
});

describe('the widest domain', () => {
  it('is found above the public suffix, and nothing is left of the search', () => {
    const { win, jar } = browserAt('https://a.www.shop.co.uk/', ['uk', 'co.uk']);
    expect(widestDomain(win)).toBe('shop.co.uk');
    expect(jar.size).toBe(0);
  });

  it.each(['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]/', 'http://intranet/'])(
    'of %s is none, and nothing is tried',
    (url) => {
      const { win, written } = browserAt(url);
      expect(widestDomain(win)).toBe('');
      expect(written).toEqual([]);
    },
  );

  it('is none on a public suffix itself', () => {
    expect(widestDomain(browserAt('https://shop.co.uk/', ['co.uk', 'shop.co.uk']).win)).toBe('');
  });
});
