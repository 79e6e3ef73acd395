import { documentProperty } from './page.ts';

/** The properties of the tracker's own `<script>` tag. */
export interface ScriptTag {
  readonly src?: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the tag that loads the tracker. In modules and in code that a tag manager evaluates,
 * `document.currentScript` is null. The fallback is the first tag with `data-base-url` or with "affkit" in
 * its `src`, except the linker's tag. An element named `currentScript` cannot hide the property.
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
