import { expect, test } from 'vitest';
import { liveBytes } from '../test/support/heap.ts';
import { createDeviceReader } from './device.ts';

const LONG = 60_000;
const KEPT = 1_024;
const AGENTS = 2_000;

test('what is remembered of user agents does not keep the bodies in memory that they were cut out of', () => {
  const readDevice = createDeviceReader();
  const before = liveBytes();
  for (let agent = 0; agent < AGENTS; agent++) {
    const body = JSON.parse(JSON.stringify(`Agent/${agent} ${'x'.repeat(LONG)}`)) as string;
    readDevice(body.slice(0, KEPT));
  }
  expect(liveBytes() - before).toBeLessThan((AGENTS * LONG) / 4);
  expect(readDevice('curl/8.5.0')).toEqual({ type: 'desktop', os: null, browser: null });
});
