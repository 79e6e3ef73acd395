import type { HttpRequest } from '@affkit/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { requestFrom } from '../test/request-from.ts';
import { createRateLimit } from './rate-limit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

/** @returns how many of `count` concurrent requests are admitted */
async function countAdmitted(admit: ReturnType<typeof createRateLimit>, request: HttpRequest, count: number) {
  const results = await Promise.all(Array.from({ length: count }, () => admit(request)));
  return results.filter((result) => result === null).length;
}

test('admits twice the limit in a burst, then the limit each second', async () => {
  const admit = createRateLimit({ publicRateLimit: 5, trustProxy: false }, vi.fn());
  const request = requestFrom('203.0.113.7');
  expect(await countAdmitted(admit, request, 20)).toBe(10);
  expect(await admit(request)).toEqual({ retryAfterSeconds: 1 });
  vi.advanceTimersByTime(1000);
  expect(await countAdmitted(admit, request, 20)).toBe(5);
});

test('limits each IPv4 address and each IPv6 /64 network separately', async () => {
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: false }, vi.fn());
  expect(await countAdmitted(admit, requestFrom('203.0.113.7'), 5)).toBe(2);
  expect(await countAdmitted(admit, requestFrom('203.0.113.8'), 5)).toBe(2);
  expect(await countAdmitted(admit, requestFrom('2001:db8:1:2::1'), 5)).toBe(2);
  expect(await countAdmitted(admit, requestFrom('2001:db8:1:2::2'), 5)).toBe(0);
  expect(await countAdmitted(admit, requestFrom('2001:db8:1:3::1'), 5)).toBe(2);
});

test('a limit of 0 admits every request', async () => {
  const admit = createRateLimit({ publicRateLimit: 0, trustProxy: false }, vi.fn());
  expect(await countAdmitted(admit, requestFrom('203.0.113.7'), 50)).toBe(50);
  expect(await countAdmitted(admit, requestFrom('10.0.0.2', FORWARDED), 50)).toBe(50);
});

test('limits an IPv6 /48 to ten times the limit, over all of its networks', async () => {
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: false }, vi.fn());
  let admitted = 0;
  for (let network = 0; network < 100; network++) {
    admitted += await countAdmitted(admit, requestFrom(`2001:db8:1:${network.toString(16)}::1`), 1);
  }
  expect(admitted).toBe(20);
  expect(await countAdmitted(admit, requestFrom('2001:db8:2::1'), 1)).toBe(1);
});

test('does not count rejected requests of one network against its /48', async () => {
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: false }, vi.fn());
  expect(await countAdmitted(admit, requestFrom('2001:db8:1::1'), 100)).toBe(2);
  expect(await countAdmitted(admit, requestFrom('2001:db8:1:1::1'), 2)).toBe(2);
});

test.each([
  ['127.0.0.1', FORWARDED],
  ['10.0.0.2', FORWARDED],
  ['::ffff:192.168.0.2', FORWARDED],
  ['fd00::2', FORWARDED],
  // The server passes null when the address is unknown.
  [null, FORWARDED],
])('limits visitors behind the unconfigured proxy %s together, and warns once', async (ip, headers) => {
  const warn = vi.fn();
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: false }, warn);
  expect(await countAdmitted(admit, requestFrom(ip, headers), 50)).toBe(20);
  const spoofed = requestFrom(ip, { 'x-forwarded-for': '198.51.100.99' });
  expect(await countAdmitted(admit, spoofed, 50)).toBe(0);
  expect(warn.mock.calls).toEqual([[expect.stringContaining('TRUST_PROXY')]]);
});

test('limits clients without an address together', async () => {
  const warn = vi.fn();
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: false }, warn);
  expect(await countAdmitted(admit, requestFrom(null), 50)).toBe(20);
  expect(warn).not.toHaveBeenCalled();
});

test('a public address that sends X-Forwarded-For has its own limit if TRUST_PROXY is off', async () => {
  const warn = vi.fn();
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: false }, warn);
  expect(await countAdmitted(admit, requestFrom('198.51.100.1', FORWARDED), 20)).toBe(2);
  expect(warn).not.toHaveBeenCalled();
});

test('limits clients behind a configured proxy', async () => {
  const warn = vi.fn();
  const admit = createRateLimit({ publicRateLimit: 1, trustProxy: 1 }, warn);
  expect(await countAdmitted(admit, requestFrom('10.0.0.2', FORWARDED), 20)).toBe(2);
  expect(warn).not.toHaveBeenCalled();
});
