import type { Route } from './route.ts';

/** A path of the route table with the routes on it, by method. */
export interface Match {
  readonly routes: ReadonlyMap<string, Route>;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly parts: readonly string[];
  readonly routes: Map<string, Route>;
}

/** Finds the routes of a path: by one look-up where it has no parts that vary. */
export class Router {
  readonly #fixed = new Map<string, Map<string, Route>>();
  readonly #patterns = new Map<string, Pattern>();

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const methods = this.#methodsOf(route.path);
      if (methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
      methods.set(route.method, route);
    }
  }

  match(path: string): Match | null {
    const fixed = this.#fixed.get(path);
    if (fixed) return { routes: fixed, params: {} };
    const parts = path.split('/');
    for (const pattern of this.#patterns.values()) {
      const params = matchParts(pattern.parts, parts);
      if (params) return { routes: pattern.routes, params };
    }
    return null;
  }

  #methodsOf(path: string): Map<string, Route> {
    const isPattern = path.includes('/:');
    const existing = isPattern ? this.#patterns.get(path)?.routes : this.#fixed.get(path);
    if (existing) return existing;
    const routes = new Map<string, Route>();
    if (isPattern) this.#patterns.set(path, { parts: path.split('/'), routes });
    else this.#fixed.set(path, routes);
    return routes;
  }
}

function matchParts(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    if (!expected.startsWith(':')) {
      if (expected !== part) return null;
    } else {
      try {
        params[expected.slice(1)] = decodeURIComponent(part);
      } catch {
        return null;
      }
    }
  }
  return params;
}
