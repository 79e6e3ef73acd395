import { afterEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { candidateDomains, readCookie, writeCookie } from './cookie.ts';

/** Stubs the cookies of a browser. Domains of other hosts are rejected. */
function browserAt(url: string) {
  const location = new URL(url);
  const jar = new Map<string, string>();
  const written: string[] = [];
  vi.stubGlobal('location', location);
  vi.stubGlobal('document', {
    get cookie() {
      return [...jar].map(([key, value]) => `${key.split('@')[0]}=${value}`).join('; ');
    },
    set cookie(text: string) {
      written.push(text);
      const [pair = '', ...attributes] = text.split('; ');
      const [name, value = ''] = pair.split('=');
      const domain = attributes.find((entry) => entry.startsWith('Domain='))?.slice(7) ?? '';
      if (domain && !`.${location.hostname}`.endsWith(`.${domain}`)) return;
      if (attributes.includes('Max-Age=0')) jar.delete(`${name}@${domain}`);
      else jar.set(`${name}@${domain}`, value);
    },
  });
  configure({ cookieName: 'id' });
  return { jar, written };
}

afterEach(() => vi.unstubAllGlobals());

describe('writeCookie', () => {
  it('writes a Lax cookie with its domain, and Secure only on https', () => {
    const secure = browserAt('https://shop.example/');
    writeCookie('clk_1', 60, 'shop.example');
    expect(readCookie()).toBe('clk_1');
    const plain = browserAt('http://shop.example/');
    writeCookie('clk_1', 60, '');
    expect(readCookie()).toBe('clk_1');
    expect([...secure.written, ...plain.written]).toEqual([
      'id=clk_1; Path=/; SameSite=Lax; Max-Age=60; Domain=shop.example; Secure',
      'id=clk_1; Path=/; SameSite=Lax; Max-Age=60',
    ]);
  });

  it('deletes the cookie if the max age is 0', () => {
    const { jar } = browserAt('https://shop.example/');
    writeCookie('clk_1', 60, '');
    writeCookie('', 0, '');
    expect([...jar]).toEqual([]);
  });

  it('does not throw when cookies are blocked', () => {
    browserAt('https://shop.example/');
    vi.stubGlobal('document', {
      get cookie(): string {
        throw new Error('SecurityError');
      },
      set cookie(_text: string) {
        throw new Error('SecurityError');
      },
    });
    writeCookie('clk_1', 60, '');
    expect(readCookie()).toBe('');
  });
});

it('readCookie matches the whole name', () => {
  const read = (cookie: string) => {
    vi.stubGlobal('document', { cookie });
    return readCookie();
  };
  configure({ cookieName: 'id' });
  expect(read('xid=1; id=clk_1; id=clk_2')).toBe('clk_1');
  expect(read('id_x=1; a=id=2')).toBe('');
  expect(read('id=')).toBe('');
  expect(read('')).toBe('');
});

it('readCookie skips values that are not a click id', () => {
  configure({ cookieName: 'id' });
  vi.stubGlobal('document', { cookie: 'id=<img src=x>; id="clk_1"; id=clk_2' });
  expect(readCookie()).toBe('clk_2');
  vi.stubGlobal('document', { cookie: { toString: () => '[object HTMLFormElement]' } });
  expect(readCookie()).toBe('');
});

describe('candidateDomains', () => {
  it('returns the widest domain first and host-only last', () => {
    browserAt('https://a.www.shop.co.uk/');
    expect(candidateDomains()).toEqual(['co.uk', 'shop.co.uk', 'www.shop.co.uk', 'a.www.shop.co.uk', '']);
  });

  it.each(['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]/', 'http://intranet/'])(
    'returns only host-only for %s',
    (url) => {
      browserAt(url);
      expect(candidateDomains()).toEqual(['']);
    },
  );
});
