/** Reads a `<meta>` that the server fills in. */
function readMeta(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}

/** Path of the mount point, without a slash at the end. */
export const BASE_PATH: string = readMeta('affkit-base');

/** Path below which the API is mounted, without a slash at the end. */
export const API_PATH: string = readMeta('affkit-api');

/** The URL of a page of the dashboard. `path` starts with a slash. */
export function pageUrl(path: string): string {
  return BASE_PATH + path;
}
