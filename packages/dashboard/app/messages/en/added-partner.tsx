import type { ComponentChildren, JSX } from 'preact';

export const lost =
  'No reply arrived, so the partner may have been added. If the partner is in the list, create a new invitation link on the partner’s page.';
export const noInvitation = (page: (text: string) => ComponentChildren): JSX.Element => (
  <>
    There is no new invitation: the partner has an account already, or an earlier invitation is still valid.
    If its link is lost, create a new one on {page('the partner’s page')}.
  </>
);
