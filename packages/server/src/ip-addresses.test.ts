import { expect, test } from 'vitest';
import { isLocal } from './ip-addresses.ts';

test.each([
  ['127.0.0.1', true],
  ['127.8.9.1', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['10.1.2.3', true],
  ['172.31.0.1', true],
  ['172.32.0.1', false],
  ['192.168.1.1', true],
  ['100.64.0.2', true],
  ['100.127.255.255', true],
  ['100.128.0.1', false],
  ['::ffff:192.168.1.1', true],
  ['fd12::1', true],
  ['fe80::1%eth0', true],
  ['203.0.113.7', false],
  ['2001:db8::1', false],
  ['nonsense', false],
])('whether %s is a local address: %s', (ip, local) => {
  expect(isLocal(ip)).toBe(local);
});
