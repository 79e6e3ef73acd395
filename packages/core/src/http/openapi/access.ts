import type { Access } from '../../access/access.ts';

/** The kinds of credentials that routes accept. */
export const SECURITY_SCHEMES = {
  trackingToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'Tracking token of a program: `aff_…`. Keep it on your server, never in a page.',
  },
  managementKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'Management key: `affk_…`. Its rights are limited by its scopes and by the current role of its creator.',
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Session of a user, from `POST /api/auth/login` or your identity provider.',
  },
  bareSession: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The same session, without `Bearer`.',
  },
  browserSession: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-affkit',
    description:
      'Browser session, from `POST /api/auth/login` with `cookie: true`. Over plain http, its name is `affkit`. It is ignored if there is an `Authorization` header. Requests other than GET and HEAD need an `Origin` that is the origin of this server.',
  },
} as const;

/** The ways to send a session. */
export const SESSION_SECURITY = [{ session: [] }, { bareSession: [] }, { browserSession: [] }] as const;

type Requirement = Readonly<Partial<Record<keyof typeof SECURITY_SCHEMES, readonly string[]>>>;

/**
 * Returns the credentials that a route accepts. Each of them is sufficient. An empty object means that no
 * credential is required.
 */
export function securityOf(access: Access): Requirement[] {
  switch (access.kind) {
    case 'public':
      return [];
    case 'optional_token':
      return [{}, { trackingToken: [] }];
    case 'token':
      return [{ trackingToken: [] }];
    case 'session':
    case 'partner':
    case 'dashboard':
    case 'program_session':
      return [...SESSION_SECURITY];
    case 'management':
    case 'management_or_partner':
    case 'credential':
      return [...SESSION_SECURITY, { managementKey: [] }];
  }
}

/** Returns the scope or permission that the route requires. */
export function scopeOf(access: Access): string | undefined {
  if (access.kind === 'management' || access.kind === 'management_or_partner') return access.scope;
  return access.kind === 'dashboard' || access.kind === 'program_session' ? access.permission : undefined;
}
