import { expect, test } from 'vitest';
import { flagsFor, NODE_FLAGS } from './node-flags.ts';

test('returns all recommended flags if NODE_OPTIONS sets none of them', () => {
  expect(flagsFor('')).toEqual(NODE_FLAGS);
  expect(flagsFor('--enable-source-maps')).toEqual(NODE_FLAGS);
});

test.each(['--max-semi-space-size=16', '--enable-source-maps --max_semi_space_size=16'])(
  'omits a recommended flag that NODE_OPTIONS sets: %s',
  (nodeOptions) => {
    expect(flagsFor(nodeOptions)).toEqual(NODE_FLAGS.filter((flag) => !flag.includes('semi-space')));
  },
);
