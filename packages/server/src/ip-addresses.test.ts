import { expect, test } from 'vitest';
import { isLocal, isLoopback } from './ip-addresses.ts';

test.each([
  ['127.0.0.1', true, true],
  ['127.8.9.1', true, true],
  ['::1', true, true],
  ['::ffff:127.0.0.1', true, true],
  ['10.1.2.3', false, true],
  ['172.31.0.1', false, true],
  ['172.32.0.1', false, false],
  ['192.168.1.1', false, true],
  ['::ffff:192.168.1.1', false, true],
  ['fd12::1', false, true],
  ['fe80::1%eth0', false, true],
  ['203.0.113.7', false, false],
  ['2001:db8::1', false, false],
  ['nonsense', false, false],
])('%s: loopback %s, local %s', (ip, loopback, local) => {
  expect([isLoopback(ip), isLocal(ip)]).toEqual([loopback, local]);
});
