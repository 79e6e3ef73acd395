import { type Route, routeRecordsAuthor } from './route.ts';

/** The routes with a certain path, by method, and the values of the path parameters. */
export interface RouteMatch extends RoutePath {
  readonly params: Readonly<Record<string, string>>;
}

interface RoutePath {
  readonly routes: ReadonlyMap<string, Route>;
  /** Whether any of the routes is cross-origin. */
  readonly isCrossOrigin: boolean;
  /** Whether replies are meant for a single caller and may contain secrets. Caches must not store them. */
  readonly isPersonal: boolean;
}

interface RoutePattern {
  readonly parts: readonly string[];
  readonly path: RoutePath;
}

/**
 * Finds the routes of a path. A path without parameters needs only one map lookup. In all other paths, a
 * literal segment takes precedence over a parameter: `policies/simulate` is not the policy with the id
 * `simulate`.
 */
export class Router {
  readonly #fixed = new Map<string, RouteMatch>();
  readonly #patterns: RoutePattern[] = [];

  constructor(routes: readonly Route[]) {
    const paths = new Map<string, Map<string, Route>>();
    for (const route of routes) {
      const methods = paths.get(route.path) ?? new Map<string, Route>();
      if (methods.has(route.method))
        throw new Error(`The route table has two routes for ${route.method} ${route.path}`);
      paths.set(route.path, methods.set(route.method, route));
    }
    for (const [path, methods] of paths) {
      if (path.includes('/:')) this.#patterns.push({ parts: path.split('/'), path: toPath(methods) });
      else this.#fixed.set(path, { ...toPath(methods), params: {} });
    }
    this.#patterns.sort((one, other) => compareParts(one.parts, other.parts));
  }

  match(path: string): RouteMatch | null {
    const fixed = this.#fixed.get(path);
    if (fixed) return fixed;
    const parts = path.split('/');
    for (const pattern of this.#patterns) {
      const params = matchParts(pattern.parts, parts);
      if (params) return { ...pattern.path, params };
    }
    return null;
  }
}

function toPath(routes: ReadonlyMap<string, Route>): RoutePath {
  const all = [...routes.values()];
  return {
    routes,
    isCrossOrigin: all.some((route) => route.crossOrigin === true),
    isPersonal: all.some(isPersonal),
  };
}

function isPersonal({ method, access, path }: Route): boolean {
  const isPublic = access.kind === 'public' || access.kind === 'optional_token';
  // Tracking replies are frequent, so they omit `Cache-Control` to stay small. This is safe, because caches never store
  // replies to POST.
  return routeRecordsAuthor(access) || (method === 'GET' && !isPublic) || path.startsWith('/api/auth/');
}

/**
 * Compares two paths for sorting. At the first position where only one of them has a parameter, the path with
 * the literal segment comes first.
 */
function compareParts(one: readonly string[], other: readonly string[]): number {
  const shapeOf = (parts: readonly string[]) => parts.map((part) => (part.startsWith(':') ? 1 : 0)).join('');
  const [shape, otherShape] = [shapeOf(one), shapeOf(other)];
  return shape === otherShape ? 0 : shape < otherShape ? -1 : 1;
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
