import { afterEach, describe, expect, it, vi } from 'vitest';
import { configure } from './config.ts';
import { candidateDomains, readCookie, widestDomain, writeCookie } from './cookie.ts';

/** A browser's jar for one host: it refuses the domains of others. */
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

describe('writing the cookie', () => {
  it('asks for a Lax cookie of the whole site, Secure on https alone', () => {
    const secure = browserAt('https://shop.example/');
    expect(writeCookie('clk_1', 60, 'shop.example')).toBe(true);
    const plain = browserAt('http://shop.example/');
    expect(writeCookie('clk_1', 60, '')).toBe(true);
    expect([...secure.written, ...plain.written]).toEqual([
      'id=clk_1; Path=/; SameSite=Lax; Max-Age=60; Domain=shop.example; Secure',
      'id=clk_1; Path=/; SameSite=Lax; Max-Age=60',
    ]);
  });

  it('tells when the browser did not take it, and when it removed it', () => {
    browserAt('https://shop.example/');
    expect(writeCookie('clk_1', 60, 'other.example')).toBe(false);
    expect(writeCookie('', 0, '')).toBe(true);
  });

  it('is a refusal, not an error, where cookies may not be touched', () => {
    browserAt('https://shop.example/');
    vi.stubGlobal('document', {
      get cookie(): string {
        throw new Error('SecurityError');
      },
      set cookie(_text: string) {
        throw new Error('SecurityError');
      },
    });
    expect(writeCookie('clk_1', 60, '')).toBe(false);
    expect(readCookie()).toBe('');
  });
});

it('is read by its whole name', () => {
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

describe('the domains to try', () => {
  it('are the widest first, and this host alone at last', () => {
    browserAt('https://a.www.shop.co.uk/');
    expect(candidateDomains()).toEqual(['co.uk', 'shop.co.uk', 'www.shop.co.uk', 'a.www.shop.co.uk', '']);
  });

  it.each(['http://localhost:3000/', 'http://127.0.0.1/', 'http://[::1]/', 'http://intranet/'])(
    'of %s are none',
    (url) => {
      browserAt(url);
      expect(candidateDomains()).toEqual(['']);
    },
  );

  it('are told by a cookie of another name, which is removed again', () => {
    const { jar, written } = browserAt('https://a.shop.example/');
    jar.set('id@', 'clk_1');
    expect(widestDomain()).toBe('shop.example');
    expect([...jar]).toEqual([['id@', 'clk_1']]);
    expect(written.map((text) => text.replace(/^affkit0\.\d+=/, ''))).toEqual([
      '1; Path=/; SameSite=Lax; Max-Age=9; Domain=shop.example; Secure',
      '; Path=/; SameSite=Lax; Max-Age=0; Domain=shop.example; Secure',
    ]);
  });
});
