import type { JSX } from 'preact';
import { LocationProvider, Route, Router } from 'preact-iso';
// Pages before and after the sign-in use these modules. Importing them here puts them into the entry chunk.
import './api/session-channel.ts';
import './pages/sign-in/typed-email.ts';
import './ui/copy-button.tsx';
import './ui/link.tsx';
import './ui/logo.tsx';
import './ui/state.tsx';
import { BASE_PATH, pageUrl } from './mount.ts';
import { type LazyPage, lazyPage } from './shell/lazy-page.tsx';
import { GuardedLocation } from './ui/guarded-location.tsx';

const Advertiser = lazyPage(async () => {
  const { Advertiser: page, loadAdvertiser } = await import('./shell/advertiser.tsx');
  await loadAdvertiser();
  return page;
});

const Portal = lazyPage(async () => {
  const { Portal: page, loadPortal } = await import('./portal/portal.tsx');
  await loadPortal();
  return page;
});

/** Pages that need no session. */
const PUBLIC_PAGES: Readonly<Record<string, LazyPage>> = {
  '/sign-in': lazyPage(() => import('./pages/sign-in/sign-in.tsx').then((module) => module.SignIn)),
  '/invite': lazyPage(() =>
    import('./pages/sign-in/accept-invite.tsx').then((module) => module.AcceptInvite),
  ),
  '/forgot-password': lazyPage(() =>
    import('./pages/reset/forgot-password.tsx').then((module) => module.ForgotPassword),
  ),
  '/reset': lazyPage(() => import('./pages/reset/reset-password.tsx').then((module) => module.ResetPassword)),
};

/** Loads everything that the first page shows. */
export async function loadFirstPage(): Promise<void> {
  const path = location.pathname.slice(BASE_PATH.length).replace(/\/$/, '');
  const page = PUBLIC_PAGES[path] ?? (/^\/partner(?:\/|$)/.test(path) ? Portal : Advertiser);
  await page.preload();
}

/** The whole app. The entry chunk contains no page. Each page is loaded when it is needed. */
export function App(): JSX.Element {
  return (
    <LocationProvider scope={BASE_PATH === '' ? '/' : BASE_PATH}>
      <GuardedLocation>
        <Router>
          {Object.entries(PUBLIC_PAGES).map(([path, page]) => (
            <Route key={path} path={pageUrl(path)} component={page} />
          ))}
          <Route path={pageUrl('/partner')} component={Portal} />
          <Route path={pageUrl('/partner/*')} component={Portal} />
          {/* `/*` does not match the path without a further segment. */}
          <Route path={pageUrl('/')} component={Advertiser} />
          <Route path={pageUrl('/*')} component={Advertiser} />
        </Router>
      </GuardedLocation>
    </LocationProvider>
  );
}
