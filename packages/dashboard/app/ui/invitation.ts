import { pageUrl } from '../mount.ts';

/**
 * Returns the URL of the page that accepts an invitation. The token is in the fragment, so it never appears
 * in logs.
 */
export function invitationUrl(token: string): string {
  return `${location.origin}${pageUrl('/invite')}#${token}`;
}
