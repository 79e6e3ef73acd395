import { installGlobal } from './command.ts';
import { findScriptTag } from './script-tag.ts';
import { startTracker } from './tracker.ts';

const { src, dataset } = findScriptTag();
installGlobal(dataset['global'] || 'affkit', () =>
  // Where the script came from, unless the tag says otherwise.
  startTracker({ baseUrl: src ? new URL(src).origin : '', ...dataset }),
);
