import type { KeyScope } from '@affkit/protocol';
import type { MemberRole } from '../storage/database/schema-accounts.ts';

/** Who calls a management route: a user in a session, or a management key of a workspace. */
export type Actor =
  | {
      readonly kind: 'session';
      /** Null for a session of an outside identity provider, which has no row here. */
      readonly sessionId: string | null;
      /** When the outside identity provider says that it issued the token; null for a session of ours. */
      readonly outsideIssuedAt: number | null;
      readonly user: { readonly id: number; readonly email: string; readonly name: string };
      readonly memberships: readonly { readonly workspaceId: number; readonly role: MemberRole }[];
    }
  | {
      readonly kind: 'key';
      readonly keyId: number;
      readonly workspaceId: number;
      readonly scopes: readonly KeyScope[];
      /** Null = every program of the workspace. */
      readonly programScope: readonly number[] | null;
      /** The key never exceeds the present role of the user who made it. */
      readonly creatorRole: MemberRole;
    };

/** A signed-in user. */
export type SessionActor = Extract<Actor, { kind: 'session' }>;
