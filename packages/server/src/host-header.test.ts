import { expect, test } from 'vitest';
import { hasSeveralHosts } from './host-header.ts';

test.each<[boolean, ...string[]]>([
  [false],
  [false, 'Host', 'a.example'],
  [false, 'Accept', 'host', 'Host', 'a.example', 'X-Host', 'b.example'],
  [true, 'Host', 'a.example', 'Host', 'b.example'],
  [true, 'host', 'a.example', 'Accept', '*/*', 'HOST', 'a.example'],
])('returns %s for the headers %s %s %s %s %s %s', (expected, ...rawHeaders) => {
  expect(hasSeveralHosts({ rawHeaders })).toBe(expected);
});
