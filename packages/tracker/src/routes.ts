/** The part of `window` that changes routes. Older browsers have no `navigation`. */
export interface RouteWindow extends Pick<Window, 'addEventListener' | 'history'> {
  readonly navigation?: Pick<Navigation, 'addEventListener'>;
}

/**
 * Calls back after the address changed without a new document. Without the Navigation API the history
 * methods are wrapped: they work as before, and first.
 */
export function watchRoutes(win: RouteWindow, onRoute: () => void): void {
  const { history, navigation } = win;
  if (navigation) {
    navigation.addEventListener('navigatesuccess', onRoute);
    return;
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = history[name];
    history[name] = (...args) => {
      original.apply(history, args);
      onRoute();
    };
  }
  win.addEventListener('popstate', onRoute);
}
