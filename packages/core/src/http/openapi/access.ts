import type { Access } from '../../access/access.ts';

/** The ways to say who calls. */
export const SECURITY_SCHEMES = {
  trackingToken: {
    type: 'http',
    scheme: 'bearer',
    description: "A program's tracking token: `aff_…`. It belongs on your server, never in a page.",
  },
  managementKey: {
    type: 'http',
    scheme: 'bearer',
    description: "A management key: `affk_…`. It has scopes, and never exceeds its creator's present role.",
  },
  session: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: "A person's session, from `POST /api/auth/login` or your identity provider.",
  },
} as const;

type Requirement = Readonly<Partial<Record<keyof typeof SECURITY_SCHEMES, readonly string[]>>>;

/** Each of these is enough; an empty one means that no credential is needed. */
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
      return [{ session: [] }];
    case 'management':
    case 'management_or_partner':
    case 'credential':
      return [{ session: [] }, { managementKey: [] }];
  }
}

/** What a key or a role must allow. */
export function scopeOf(access: Access): string | undefined {
  if (access.kind === 'management' || access.kind === 'management_or_partner') return access.scope;
  return access.kind === 'dashboard' ? access.permission : undefined;
}
