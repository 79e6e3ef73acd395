import { expect, test } from 'vitest';
import { liveBytes } from '../test/support/heap.ts';
import { createDeviceReader } from './device.ts';

const BODY_LENGTH = 60_000;
const USER_AGENT_LENGTH = 256;
const AGENTS = 2_000;

test('a cached user agent does not keep its request body in memory', () => {
  const readDevice = createDeviceReader();
  const before = liveBytes();
  for (let agent = 0; agent < AGENTS; agent++) {
    const body = JSON.parse(JSON.stringify(`Agent/${agent} ${'x'.repeat(BODY_LENGTH)}`)) as string;
    readDevice(body.slice(0, USER_AGENT_LENGTH));
  }
  expect(liveBytes() - before).toBeLessThan((AGENTS * BODY_LENGTH) / 4);
  expect(readDevice('curl/8.5.0')).toEqual({ type: 'desktop', os: null, browser: null });
});
