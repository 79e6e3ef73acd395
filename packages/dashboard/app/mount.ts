/** Reads a `<meta>` element whose content the server has set. */
function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** The path at which the dashboard is mounted, without a trailing slash. */
export const BASE_PATH: string = readMeta('affkit-base');

/** The path at which the API is mounted, without a trailing slash. */
export const API_PATH: string = readMeta('affkit-api');

/** Returns the URL of a dashboard page. `path` must start with a slash. */
export function pageUrl(path: string): string {
  return BASE_PATH + path;
}
