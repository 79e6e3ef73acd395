import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { StaticDocument } from './static-document.ts';

const TEXT = 'A text that is long enough to compress. '.repeat(100);
const document = new StaticDocument(TEXT, { 'content-type': 'text/plain', 'cache-control': 'no-cache' });
const request = (headers: Readonly<Record<string, string>>) => document.reply((name) => headers[name]);
const bytesOf = ({ body }: { readonly body: unknown }) => Buffer.from(body as Uint8Array);

test.each([
  [undefined, undefined],
  ['', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['identity;q=0, gzip', 'gzip'],
])('negotiates the encoding for Accept-Encoding %j', (accepted, encoding) => {
  const { status, headers, body } = request(accepted === undefined ? {} : { 'accept-encoding': accepted });
  expect([status, headers['content-encoding'], headers['vary']]).toEqual([200, encoding, 'accept-encoding']);
  const bytes = bytesOf({ body });
  expect(headers['content-length']).toBe(String(bytes.length));
  const decode = { br: brotliDecompressSync, gzip: gunzipSync }[encoding ?? ''] ?? ((raw: Buffer) => raw);
  expect(decode(bytes).toString()).toBe(TEXT);
});

test('shares one buffer among all responses with the same encoding', () => {
  for (const accepted of ['identity', 'gzip', 'br']) {
    const headers = { 'accept-encoding': accepted };
    expect(request(headers).body).toBe(request(headers).body);
  }
});

test('has a different strong entity tag for each encoding and each text', () => {
  const tags = ['identity', 'gzip', 'br'].map(
    (accepted) => request({ 'accept-encoding': accepted }).headers['etag'],
  );
  const other = new StaticDocument('other', { 'content-type': 'text/plain' }).reply(() => undefined);
  expect(new Set([...tags, other.headers['etag']]).size).toBe(4);
  for (const tag of tags) expect(tag).toMatch(/^"[\w-]+"$/);
});

test('returns a 304 without content when If-None-Match lists the tag', () => {
  const etag = request({}).headers['etag'] ?? '';
  for (const tags of [etag, `W/${etag}`, `"other" , ${etag}`, '*']) {
    const { status, headers, body } = request({ 'if-none-match': tags });
    expect([tags, status, body]).toEqual([tags, 304, null]);
    expect(headers).toEqual({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
  }
  for (const tags of ['', '"other"', etag.slice(1, -1)]) {
    expect([tags, request({ 'if-none-match': tags }).status]).toEqual([tags, 200]);
  }
  // The ETag belongs to the uncompressed text, which the client no longer accepts.
  expect(request({ 'if-none-match': etag, 'accept-encoding': 'gzip, identity;q=0' }).status).toBe(200);
});
