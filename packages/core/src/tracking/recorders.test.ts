import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeWorld, type World } from '../../test/support/world.ts';
import { type Engine, OutcomeUnknown } from '../storage/database/engine/engine.ts';
import { sqliteEngine } from '../storage/sqlite.ts';

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

test('does not retry clicks when the outcome of their commit is unknown', async () => {
  const commit = write;
  write = async (lane, work) => {
    await commit(lane, work);
    throw new OutcomeUnknown('The reply to COMMIT was lost');
  };
  const body = { affiliate_url: 'https://shop.example/?aff=anna' };
  const replies = await Promise.all([1, 2, 3].map(() => world.call('POST', '/api/v1/track/click', body)));
  expect(replies.map((reply) => reply.body['error'])).toEqual(Array(3).fill('Click tracking failed'));
  write = commit;
  expect(await countClicks()).toBe(3);
});
