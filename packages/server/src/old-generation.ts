import { setFlagsFromString } from 'node:v8';
import { nodeOptions } from './node-options.ts';

/**
 * By how much the heap may grow, of what a full collection has left. V8 itself goes to several times as much where it
 * collects quickly: requests that are answered would fill a hundred megabytes before it looks at them. It reads this at
 * the end of each full collection.
 */
const GROWTH_PERCENT = 60;

// Whoever starts Node with a growth of their own has chosen.
if (!/heap[-_]growing[-_]percent/.test(nodeOptions)) {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

/**
 * V8 makes objects among the old ones at once where those that the same code made before have lived on. It learns that of
 * the requests that happened to be under way at some collection, and then makes the parts of every request there. Each is
 * dead in milliseconds, but keeps what it points to among the young until a full collection.
 */
if (!/allocation[-_]site[-_]pretenuring/.test(nodeOptions)) {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
