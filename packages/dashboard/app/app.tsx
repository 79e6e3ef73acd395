import type { JSX } from 'preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { BASE_PATH, pageUrl } from './mount.ts';
import { SignIn } from './pages/sign-in/sign-in.tsx';
import { lazyPage } from './shell/lazy-page.tsx';

const OVERVIEW = /^\/?(?:p\/\d+\/?)?$/;

const Advertiser = lazyPage(() => {
  // Most visits begin with the overview. Its code loads together with the frame, not after the user's data.
  if (OVERVIEW.test(location.pathname.slice(BASE_PATH.length)))
    import('./pages/overview/overview.tsx').catch(() => {});
  return import('./shell/advertiser.tsx').then((module) => module.Advertiser);
});
const AcceptInvite = lazyPage(() =>
  import('./pages/sign-in/accept-invite.tsx').then((module) => module.AcceptInvite),
);
const ForgotPassword = lazyPage(() =>
  import('./pages/reset/forgot-password.tsx').then((module) => module.ForgotPassword),
);
const ResetPassword = lazyPage(() =>
  import('./pages/reset/reset-password.tsx').then((module) => module.ResetPassword),
);

/** The whole app. Only the sign-in page is in the first file; everything else is loaded when it is needed. */
export function App(): JSX.Element {
  return (
    <LocationProvider scope={BASE_PATH === '' ? '/' : BASE_PATH}>
      <Router>
        <Route path={pageUrl('/sign-in')} component={SignIn} />
        <Route path={pageUrl('/invite')} component={AcceptInvite} />
        <Route path={pageUrl('/forgot-password')} component={ForgotPassword} />
        <Route path={pageUrl('/reset')} component={ResetPassword} />
        {/* `/*` does not match the path without a further segment. */}
        <Route path={pageUrl('/')} component={Advertiser} />
        <Route path={pageUrl('/*')} component={Advertiser} />
      </Router>
    </LocationProvider>
  );
}
