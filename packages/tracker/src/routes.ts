import { listen } from './page.ts';

/**
 * Calls `onRoute` after the URL has changed without a new document. In browsers without the Navigation API,
 * it wraps the methods of `history`. The wrappers call the original method first.
 */
export function watchRoutes(onRoute: () => void) {
  // Undefined in browsers without the Navigation API.
  const navigation: (Partial<Navigation> & EventTarget) | undefined = window.navigation;
  // In older browsers, `window.navigation` may be an element of the page with that name.
  // biome-ignore lint/complexity/useOptionalChain: its es2019 form is longer.
  if (navigation && navigation.entries) return navigation.addEventListener('navigatesuccess', onRoute);
  // Add the listener first: in a module, the assignments below throw if the page has made the methods read-only.
  listen('popstate', onRoute);
  for (const name of ['replaceState', 'pushState'] as const) {
    const original = history[name];
    history[name] = (...args) => {
      original.call(history, ...args);
      onRoute();
    };
  }
}
