import { expect, test } from 'vitest';
import { fetchAdapter } from './fetch.ts';
import { nodeAdapter } from './node.ts';

test.each(['affiliates', 'affiliates/', 'https://shop.example/affiliates', '?x', '/a?x'])(
  'a base path that no path lies below is refused: %s',
  (basePath) => {
    const problem = `basePath must be a path such as /affiliates, but is "${basePath}"`;
    for (const adapter of [nodeAdapter, fetchAdapter]) {
      expect(() => adapter({ handle: async () => null }, { basePath })).toThrow(new RangeError(problem));
    }
  },
);
