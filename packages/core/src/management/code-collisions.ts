import type { Runtime } from '../runtime.ts';
import { listCodesInOtherCase } from '../storage/programs/links.ts';

/** The maximum number of links that the warning lists. */
const MAX_LISTED_LINKS = 20;

/**
 * Warns about links whose codes differ only in case. Before codes became case-insensitive, such links could
 * be created.
 */
export async function warnOfCodeCollisions({ engine, log }: Pick<Runtime, 'engine' | 'log'>): Promise<void> {
  const links = await listCodesInOtherCase(engine.read, engine.dialect, MAX_LISTED_LINKS);
  if (links.length === 0) return;
  log.warn(
    { links },
    'The codes of these links differ only in case from the code of another link, so they match only in ' +
      'this exact spelling. All existing URLs still work. To end this warning, see ' +
      '"Codes that differ only in case" in docs/guides/operating.md.',
  );
}
