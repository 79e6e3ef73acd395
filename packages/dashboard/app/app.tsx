import type { ComponentType, JSX } from 'preact';
import { LocationProvider, Route, Router } from 'preact-iso';
import { BASE_PATH, pageUrl } from './mount.ts';
import { SignIn } from './pages/sign-in/sign-in.tsx';
import { type LazyPage, lazyPage } from './shell/lazy-page.tsx';

const Advertiser = lazyPage(async () => {
  const { Advertiser: page, loadFirst } = await import('./shell/advertiser.tsx');
  await loadFirst();
  return page;
});

/** Pages that need no session. */
const PUBLIC_PAGES: Readonly<Record<string, ComponentType | LazyPage>> = {
  '/sign-in': SignIn,
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
  const page = PUBLIC_PAGES[path] ?? Advertiser;
  if ('preload' in page) await page.preload();
}

/**
 * The whole app. The first file contains only the sign-in page. Everything else is loaded when it is needed.
 */
export function App(): JSX.Element {
  return (
    <LocationProvider scope={BASE_PATH === '' ? '/' : BASE_PATH}>
      <Router>
        {Object.entries(PUBLIC_PAGES).map(([path, page]) => (
          <Route key={path} path={pageUrl(path)} component={page} />
        ))}
        {/* `/*` does not match the path without a further segment. */}
        <Route path={pageUrl('/')} component={Advertiser} />
        <Route path={pageUrl('/*')} component={Advertiser} />
      </Router>
    </LocationProvider>
  );
}
