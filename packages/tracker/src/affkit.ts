import { installGlobal } from './command.ts';
import { baseUrlOf, findScriptTag } from './script-tag.ts';
import { startTracker } from './tracker.ts';

const tag = findScriptTag(document);
const { dataset } = tag;
installGlobal(window as never, dataset['global'] || 'affkit', () =>
  startTracker(window, { ...dataset, baseUrl: baseUrlOf(tag) }),
);
