import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import { changeSession } from '../api/session-channel.ts';
import { pageUrl } from '../mount.ts';
import { askToLeave, leaveGuards } from '../ui/guarded-location.tsx';
import { useToast } from '../ui/toast.tsx';

/** Returns a function that ends the session and opens the sign-in page. It asks before unsaved changes are lost. */
export function useSignOut(): () => void {
  const { route } = useLocation();
  const toast = useToast();
  const signOut = async () => {
    await changeSession('/api/auth/logout');
    route(pageUrl('/sign-in'), true);
  };
  const showError = (error: unknown) => toast(error instanceof Error ? error.message : common.signOutFailed);
  return () => {
    if (leaveGuards.size > 0) askToLeave(signOut);
    else signOut().catch(showError);
  };
}
