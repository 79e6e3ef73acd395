import { isByActor, type Route } from './route.ts';

/** A path of the route table with the routes on it, by method. */
export interface Match extends Path {
  readonly params: Readonly<Record<string, string>>;
}

interface Path {
  readonly routes: ReadonlyMap<string, Route>;
  /** Of any of its routes. */
  readonly isCrossOrigin: boolean;
  /** Its answers hold what one caller alone may see, now and then a secret: no cache may keep them. */
  readonly isPersonal: boolean;
}

interface Pattern {
  readonly parts: readonly string[];
  readonly path: Path;
}

/** Finds the routes of a path: by one look-up where it has no parts that vary. */
export class Router {
  readonly #fixed = new Map<string, Match>();
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[]) {
    const paths = new Map<string, Map<string, Route>>();
    for (const route of routes) {
      const methods = paths.get(route.path) ?? new Map<string, Route>();
      if (methods.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
      paths.set(route.path, methods.set(route.method, route));
    }
    for (const [path, methods] of paths) {
      if (path.includes('/:')) this.#patterns.push({ parts: path.split('/'), path: toPath(methods) });
      else this.#fixed.set(path, { ...toPath(methods), params: {} });
    }
  }

  match(path: string): Match | null {
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

function toPath(routes: ReadonlyMap<string, Route>): Path {
  const all = [...routes.values()];
  return {
    routes,
    isCrossOrigin: all.some((route) => route.crossOrigin === true),
    isPersonal: all.some(isForOne),
  };
}

function isForOne({ method, access, path }: Route): boolean {
  const isOpen = access.kind === 'public' || access.kind === 'optional_token';
  // Of what has no actor, replies to a POST are kept by no cache anyway, and a shop sends many.
  return isByActor(access) || (method === 'GET' && !isOpen) || path.startsWith('/api/auth/');
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
