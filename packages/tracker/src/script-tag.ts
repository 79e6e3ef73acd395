/** What the tracker reads of its own `<script>`. */
export interface ScriptTag {
  readonly src?: string;
  readonly dataset: Readonly<Record<string, string | undefined>>;
}

/**
 * The tag that loads the tracker. `currentScript` is null in a module and for code that a tag manager
 * evaluates (and an element of that name can stand in its place); then it is the first tag with
 * `data-base-url` or with an address that names affkit.
 */
export function findScriptTag(): ScriptTag {
  const running = document.currentScript;
  return (
    (running && 'noModule' in running && (running as HTMLScriptElement)) ||
    document.querySelector<HTMLScriptElement>('script[data-base-url],script[src*=affkit]') || { dataset: {} }
  );
}
