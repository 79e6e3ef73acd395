import { pageUrl } from '../mount.ts';

/** The page that accepts an invitation. Its token is in the fragment, which never reaches a log. */
export function invitationUrl(token: string): string {
  return `${location.origin}${pageUrl('/invite')}#${token}`;
}
