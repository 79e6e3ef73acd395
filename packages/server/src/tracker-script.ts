import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * The tracker as it is served to browsers.
 * @throws Error that says what to do when the tracker has not been built
 */
export function readTrackerScript(): string {
  try {
    return readFileSync(require.resolve('@affkit/tracker/script'), 'utf8');
  } catch (error) {
    throw new Error('The tracker is not built: run "npm run build" first', { cause: error });
  }
}
