import { expect, test } from 'vitest';
import { ReplicaLag } from './replica-lag.ts';

test('the lag is unknown until the replica has replayed a known position', () => {
  const lag = new ReplicaLag();
  expect(lag.lagMs(0)).toBeNull();
  lag.addWritten({ at: 0, position: 10 });
  lag.setReplayed(9);
  expect(lag.lagMs(5)).toBeNull();
  lag.setReplayed(10);
  expect(lag.lagMs(5)).toBe(5);
});

test('the lag is the age of the latest position that the replica has replayed', () => {
  const lag = new ReplicaLag();
  for (const at of [0, 1_000, 2_000]) lag.addWritten({ at, position: at + 10 });
  lag.setReplayed(1_500);
  expect(lag.lagMs(2_000)).toBe(1_000);
  lag.setReplayed(2_010);
  expect(lag.lagMs(2_500)).toBe(500);
});

test('the lag grows while the replica replays nothing or no longer answers', () => {
  const lag = new ReplicaLag();
  lag.addWritten({ at: 0, position: 10 });
  lag.setReplayed(10);
  lag.addWritten({ at: 1_000, position: 20 });
  lag.setReplayed(10);
  expect(lag.lagMs(9_000)).toBe(9_000);
});

test('the lag is never underestimated after hours without replay', () => {
  const lag = new ReplicaLag();
  const seconds = 100_000;
  for (let second = 0; second <= seconds; second++) lag.addWritten({ at: second * 1000, position: second });
  lag.setReplayed(75_000);
  const lagSeconds = (lag.lagMs(seconds * 1000) ?? 0) / 1000;
  expect(lagSeconds).toBeGreaterThanOrEqual(25_000);
  expect(lagSeconds).toBeLessThan(26_000);
  lag.setReplayed(seconds);
  lag.addWritten({ at: (seconds + 1) * 1000, position: seconds });
  lag.setReplayed(seconds);
  expect(lag.lagMs((seconds + 1) * 1000)).toBe(0);
});
