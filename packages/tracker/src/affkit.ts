import { installGlobal } from './command.ts';
import { findScriptTag } from './script-tag.ts';
import { startTracker } from './tracker.ts';

const { dataset, src } = findScriptTag();
installGlobal(dataset['global'] || 'affkit', () =>
  // By default, the server is the origin of the script.
  startTracker({ baseUrl: src ? new URL(src).origin : '', ...dataset }),
);
