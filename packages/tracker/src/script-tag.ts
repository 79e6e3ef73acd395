/** The properties of its own `<script>` tag that the tracker reads. */
export interface ScriptTag {
  readonly src?: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}

/**
 * Finds the tag that loads the tracker. `document.currentScript` is null in modules and in code that a tag
 * manager evaluates, and an element named `currentScript` can shadow it. The fallback is the first tag with
 * `data-base-url` or with "affkit" in its `src`.
 */
export function findScriptTag(): ScriptTag {
  const running = document.currentScript;
  return (
    (running && 'noModule' in running && (running as HTMLScriptElement)) ||
    document.querySelector<HTMLScriptElement>('script[data-base-url],script[src*=affkit]') || { dataset: {} }
  );
}
