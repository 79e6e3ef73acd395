import { expect, test } from 'vitest';
import manifest from '../../../../package.json' with { type: 'json' };
import { requireNode } from './node-version.ts';

test('requires the minimum Node version that package.json names in `engines`', () => {
  const minimum = manifest.engines.node.replace('>=', '');
  expect(() => requireNode(`${minimum}.0`)).not.toThrow();
  expect(() => requireNode('22.21.3')).toThrow(`Affkit requires Node ${minimum} or newer, got 22.21.3`);
});

test.each(['20.20.2', '21.99.0'])('rejects Node %s', (version) => {
  expect(() => requireNode(version)).toThrow('or newer');
});

test.each(['22.22.0', '22.30.1', '23.0.0', '24.21.0'])('accepts Node %s', (version) => {
  expect(() => requireNode(version)).not.toThrow();
});
