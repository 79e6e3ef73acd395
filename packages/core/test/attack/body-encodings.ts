import { gzipSync } from 'node:zlib';
import fc from 'fast-check';

/** Converts a JSON text to the bytes to send, and to the headers that differ from a normal request. */
interface Encoding {
  readonly name: string;
  readonly encode: (json: string) => string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const PLAIN: Encoding = { name: 'JSON', encode: (json) => json };

/** Exceeds 64 KiB, the body limit of most routes. */
const PADDING = ' '.repeat(70 * 1024);

const ENCODINGS: readonly Encoding[] = [
  { name: 'truncated', encode: (json) => json.slice(0, -1) },
  { name: 'no body', encode: () => '' },
  { name: 'white space', encode: () => ' \n' },
  { name: 'a list', encode: (json) => `[${json}]` },
  { name: 'a string', encode: (json) => JSON.stringify(json) },
  { name: 'two documents', encode: (json) => json + json },
  { name: 'null', encode: () => 'null' },
  { name: 'a number', encode: () => '1e400' },
  { name: 'a prototype', encode: (json) => json.replace('{', '{"__proto__":{"test_mode":true,"id":1},') },
  { name: 'infinity', encode: (json) => json.replace(/:\d+/, ':1e400') },
  { name: 'more digits than a double', encode: (json) => json.replace(/:\d+/, ':9007199254740993') },
  { name: 'duplicate fields', encode: (json) => json.replace(/^\{(.+)\}$/s, '{$1,$1}') },
  { name: 'comments', encode: (json) => `/* */${json}` },
  { name: 'a byte order mark', encode: (json) => `\ufeff${json}` },
  { name: 'UTF-16', encode: (json) => Buffer.from(json, 'utf16le') },
  {
    name: 'invalid UTF-8',
    encode: (json) => Buffer.from(json.replace(/"([^"]*)"\}$/, '"\xff$1"}'), 'latin1'),
  },
  {
    name: 'a form',
    encode: () => 'a=1&affiliate_url=https%3A%2F%2Fshop.example',
    headers: form('x-www-form-urlencoded'),
  },
  { name: 'deep lists', encode: () => '['.repeat(30_000) + ']'.repeat(30_000) },
  { name: 'deep objects', encode: () => `${'{"additional_data":'.repeat(3_000)}1${'}'.repeat(3_000)}` },
  {
    name: 'deep data',
    encode: (json) => json.replace('{', `{"line_items":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)},`),
  },
  { name: 'too large', encode: (json) => json + PADDING },
  { name: 'gzip', encode: (json) => gzipSync(json), headers: { 'content-encoding': 'gzip' } },
  {
    name: 'a gzip bomb',
    encode: () => gzipSync(Buffer.alloc(16 * 1024 * 1024)),
    headers: { 'content-encoding': 'gzip' },
  },
  { name: 'a wrong encoding', encode: (json) => json, headers: { 'content-encoding': 'br' } },
];

function form(subtype: string): Readonly<Record<string, string>> {
  return { 'content-type': `application/${subtype}` };
}

const CONTENT_TYPES = [
  'text/plain',
  'text/plain;charset=UTF-8',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'x',
  '',
];

export interface EncodedBody {
  readonly encoding: string;
  readonly bytes: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Encodes a JSON value, mostly in the normal way. */
export function encodedBody(value: fc.Arbitrary<unknown>): fc.Arbitrary<EncodedBody> {
  const encoding = fc.oneof(
    { weight: 12, arbitrary: fc.constant(PLAIN) },
    { weight: 1, arbitrary: fc.constantFrom(...ENCODINGS) },
  );
  const contentType = fc.oneof(
    { weight: 12, arbitrary: fc.constant('application/json') },
    { weight: 1, arbitrary: fc.constantFrom(...CONTENT_TYPES) },
  );
  return fc.tuple(value, encoding, contentType).map(([json, { name, encode, headers }, type]) => {
    const bytes = Buffer.from(encode(JSON.stringify(json) ?? ''));
    return { encoding: name, bytes, headers: { 'content-type': type, ...headers } };
  });
}
