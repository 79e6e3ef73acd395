import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { nodeOptions } from './node-options.ts';

/**
 * Of both its halves. V8 itself goes to 128 MB, and keeps as much as that of what it has emptied: more than all else
 * that the server holds.
 */
const MAX_BYTES = 2 ** 26;

/**
 * Keeps the space of new objects small, for as long as the process lives. V8 reads the maximum only when it starts,
 * which is before any code of ours; what it reads at each growth is the factor. Looked at after each collection, and
 * not once: a collection in a quiet hour shrinks the space, and it has to come back.
 */
function limitYoungGeneration(): void {
  let isGrowing = true;
  const adjust = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    const mayGrow = young !== undefined && young.space_size < MAX_BYTES;
    if (mayGrow === isGrowing) return;
    isGrowing = mayGrow;
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`);
  };
  adjust();
  new PerformanceObserver(adjust).observe({ entryTypes: ['gc'] });
}

// Whoever starts Node with a size of their own has chosen.
if (!/semi[-_]space/.test(nodeOptions)) limitYoungGeneration();
