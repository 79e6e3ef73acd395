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
