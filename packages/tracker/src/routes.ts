import { listen } from './page.ts';

/**
 * Calls `onRoute` after the URL changed without a new document. In browsers without the Navigation API it
 * wraps the methods of `history` and calls the original first.
 */
export function watchRoutes(onRoute: () => void) {
  // Undefined in older browsers.
  const navigation: Navigation | undefined = window.navigation;
  if (navigation) return navigation.addEventListener('navigatesuccess', onRoute);
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = (...args) => {
      original.apply(history, args);
      onRoute();
    };
  }
  listen('popstate', onRoute);
}
