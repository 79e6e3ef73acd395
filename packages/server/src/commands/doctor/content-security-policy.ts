/** The directives of one policy by name. Each has a list of source expressions. */
type Policy = ReadonlyMap<string, readonly string[]>;

/** The properties of a script or request that a policy can check. */
export interface LoadedResource {
  readonly kind: 'script' | 'connect';
  readonly url: URL;
  /** The `nonce` of the script tag. */
  readonly nonce?: string | undefined;
}

/** The directives for a resource. The first one that the policy contains applies (Content Security Policy, 6.8.3). */
const DIRECTIVES = {
  script: ['script-src-elem', 'script-src', 'default-src'],
  connect: ['connect-src', 'default-src'],
} as const;

/**
 * Finds the directives that block a resource. A page may have several policies, and each must allow it.
 * @param policies the values of `Content-Security-Policy` headers and meta tags
 * @returns the directives that block it, as written in the policies
 */
export function findBlockingDirectives(
  policies: readonly string[],
  resource: LoadedResource,
  page: URL,
): string[] {
  // A header may contain several policies, which are separated by commas.
  return policies
    .flatMap((text) => text.split(','))
    .flatMap((text) => {
      const policy = parsePolicy(text);
      const name = DIRECTIVES[resource.kind].find((directive) => policy.has(directive));
      if (name === undefined) return [];
      const sources = policy.get(name) ?? [];
      return isAllowed(sources, resource, page) ? [] : [[name, ...sources].join(' ')];
    });
}

function parsePolicy(text: string): Policy {
  const policy = new Map<string, readonly string[]>();
  for (const directive of text.split(';')) {
    const [name = '', ...sources] = directive.trim().split(/\s+/);
    // If a policy has several directives with the same name, browsers use only the first of them.
    if (name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources);
  }
  return policy;
}

function isAllowed(sources: readonly string[], { kind, url, nonce }: LoadedResource, page: URL): boolean {
  if (kind === 'script') {
    if (nonce && sources.includes(`'nonce-${nonce}'`)) return true;
    // With 'strict-dynamic', browsers ignore hosts. A tag in the HTML then needs a nonce or a hash.
    if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false;
  }
  return sources.some((source) => matchesSource(source, url, page));
}

/** Whether a source expression, such as `https://*.shop.example:443/js/`, matches a URL. */
function matchesSource(source: string, url: URL, page: URL): boolean {
  const expression = source.toLowerCase();
  if (expression === "'self'") return url.host === page.host && matchesScheme(page.protocol, url);
  if (expression.startsWith("'")) return false;
  if (expression === '*') return ['http:', 'https:'].includes(url.protocol) || url.protocol === page.protocol;
  if (expression.endsWith(':') && !expression.includes('/')) return matchesScheme(expression, url);
  const schemeEnd = expression.indexOf('://');
  const scheme = schemeEnd === -1 ? page.protocol : expression.slice(0, schemeEnd + 1);
  // The path is case-sensitive, so read it from `source`, which is not converted to lower case.
  const rest = schemeEnd === -1 ? source : source.slice(schemeEnd + 3);
  const pathStart = rest.indexOf('/');
  const [host = '', port = ''] = (pathStart === -1 ? rest : rest.slice(0, pathStart))
    .toLowerCase()
    .split(':');
  const path = pathStart === -1 ? '' : rest.slice(pathStart);
  return (
    matchesScheme(scheme, url) && matchesHost(host, url) && matchesPort(port, url) && matchesPath(path, url)
  );
}

/** Whether a URL has the scheme of a source expression. The scheme `http:` also matches https URLs. */
function matchesScheme(scheme: string, { protocol }: URL): boolean {
  return scheme === protocol || (scheme === 'http:' && protocol === 'https:');
}

function matchesHost(host: string, { hostname }: URL): boolean {
  if (host === '*') return true;
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}

function matchesPort(port: string, { port: urlPort }: URL): boolean {
  if (port === '*') return true;
  // The port of a `URL` is empty if it is the default port of the scheme.
  return port === urlPort || (urlPort === '' && (port === '80' || port === '443'));
}

function matchesPath(path: string, { pathname }: URL): boolean {
  if (path === '' || path === '/') return true;
  return path.endsWith('/') ? pathname.startsWith(path) : pathname === path;
}
