import { listen } from './page.ts';

/**
 * Calls back after the address changed without a new document. Without the Navigation API the history
 * methods are wrapped: they work as before, and first.
 */
export function watchRoutes(onRoute: () => void) {
  // Older browsers have none.
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
