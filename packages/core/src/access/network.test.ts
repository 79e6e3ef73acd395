import { expect, test } from 'vitest';
import { networkOf, siteOf } from './network.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0:1:aaaa::1', '2001:db8:0:1::/64'],
  ['2001:0DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:0db8:0000:0001:0:0:0:9', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['unknown', 'unknown'],
])('networkOf(%s) returns %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::1', '2001:db8:1::/48'],
  ['2001:db8::1%eth0', '2001:db8:0::/48'],
  ['192.0.2.1', null],
  ['::ffff:192.0.2.1', null],
  ['unknown', null],
])('siteOf(%s) returns %s', (ip, site) => {
  expect(siteOf(ip)).toBe(site);
});
