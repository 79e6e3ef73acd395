import { documentProperty } from './page.ts';

/** The properties of its own `<script>` tag that the tracker reads. */
export interface ScriptTag {
  readonly src?: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the tag that loads the tracker. `document.currentScript` is null in modules and in code that a tag
 * manager evaluates. An element of that name does not hide it. The fallback is the first tag with
 * `data-base-url` or with "affkit" in its `src` that is not the linker's tag.
 */
export function findScriptTag(): ScriptTag {
  return (
    (documentProperty('currentScript') as ScriptTag | null) ||
    (documentProperty('querySelector').call(
      document,
      'script[data-base-url],script[src*=affkit]:not([src*=-linker])',
    ) as ScriptTag | null) || {
      dataset: {},
    }
  );
}
