import type { KeyScope } from '@affkit/protocol';
import type { MemberRole } from '../storage/database/schema-accounts.ts';

/**
 * An authenticated caller: a user with a session, or a management key of one workspace. It says who calls,
 * not what the caller may do; ask `isAllowed` for that.
 */
export type Actor =
  | {
      readonly kind: 'session';
      /** The session's row, or null for a token of the external identity provider, which has no row. */
      readonly sessionId: number | null;
      /** Whether the session is in a cookie. */
      readonly isBrowser: boolean;
      /**
       * Epoch milliseconds at which the external provider issued the token, or null for one of Affkit's
       * sessions.
       */
      readonly externalIssuedAt: number | null;
      readonly user: { readonly id: number; readonly email: string; readonly name: string };
      /** The user's workspaces, with the user's role in each. */
      readonly memberships: readonly { readonly workspaceId: number; readonly role: MemberRole }[];
    }
  | {
      readonly kind: 'key';
      readonly keyId: number;
      readonly workspaceId: number;
      /** What the key may do. `*` means every scope. */
      readonly scopes: readonly KeyScope[];
      /** The programs that the key is limited to, or null for every program of the workspace. */
      readonly programScope: readonly number[] | null;
      /** The current role of the user who created the key. The key never has more rights than that role. */
      readonly creatorRole: MemberRole;
    };

/** An `Actor` that is a signed-in user. */
export type SessionActor = Extract<Actor, { kind: 'session' }>;
