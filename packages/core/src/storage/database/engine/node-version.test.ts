import { expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { requireNode } from './node-version.ts';

test('the least version is the one that the package names', () => {
  const least = manifest.engines.node.replace('>=', '');
  expect(() => requireNode(`${least}.0`)).not.toThrow();
  expect(() => requireNode('22.21.3')).toThrow(`Affkit needs Node ${least} or newer, and this is 22.21.3`);
});

test.each(['20.20.2', '21.99.0'])('%s is refused', (version) => {
  expect(() => requireNode(version)).toThrow('or newer');
});

test.each(['22.22.0', '22.30.1', '23.0.0', '24.21.0'])('%s is taken', (version) => {
  expect(() => requireNode(version)).not.toThrow();
});
