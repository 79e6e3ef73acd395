import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeWorld, type World } from '../../test/world.ts';
import { Unavailable } from '../rejection.ts';
import { type Engine, OutcomeUnknown } from '../storage/engine/engine.ts';
import { sqliteEngine } from '../storage/engine/sqlite.ts';
import { ClickRecorder } from './click-recorder.ts';

let world: World;
let write: Engine['write'];

beforeEach(async () => {
  const engine = sqliteEngine({ path: ':memory:' });
  write = engine.write;
  world = await makeWorld({ ...engine, write: (lane, work) => write(lane, work) });
});

afterEach(() => world.affkit.close());

const countClicks = async () =>
  (await world.engine.read.selectFrom('click_events').select('id').execute()).length;

test('clicks whose commit may have happened are not written again', async () => {
  const commit = write;
  write = async (lane, work) => {
    await commit(lane, work);
    throw new OutcomeUnknown('The answer was lost');
  };
  const body = { affiliate_url: 'https://shop.example/?aff=anna' };
  const replies = await Promise.all([1, 2, 3].map(() => world.call('POST', '/api/v1/track/click', body)));
  expect(replies.map((reply) => reply.body['error'])).toEqual(Array(3).fill('Click tracking failed'));
  write = commit;
  expect(await countClicks()).toBe(3);
});

test('clicks that pile up beyond a bound are refused', async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const commit = write;
  write = async (lane, work) => {
    await gate;
    return await commit(lane, work);
  };
  const recorder = new ClickRecorder(world.affkit.runtime);
  const nowhere = { country: null, region: null, city: null };
  const request = {
    partnerCode: 'nobody',
    existingClickId: undefined,
    idempotencyKey: undefined,
    origin: undefined,
    ownHost: undefined,
    at: 1,
    visit: {
      sessionId: null,
      pageUrl: null,
      referrerUrl: null,
      geo: nowhere,
      device: { type: 'desktop', os: null, browser: null },
      details: null,
    },
  };
  const waiting = Array.from({ length: 20_000 }, () => recorder.record(request));
  await expect(recorder.record(request)).rejects.toBeInstanceOf(Unavailable);
  release();
  const outcomes = await Promise.all(waiting);
  expect(outcomes).toHaveLength(20_000);
});
