import type { KeyScope } from '@affkit/protocol';
import type { MemberRole } from '../storage/database/schema-accounts.ts';

/**
 * An authenticated caller: a user with a session, or a management key of one workspace. Use `isAllowed` to
 * find out what the caller may do.
 */
export type Actor =
  | {
      readonly kind: 'session';
      /**
       * The id of the session's row. Null for a token of the external identity provider, because Affkit stores no
       * row for such a token.
       */
      readonly sessionId: number | null;
      /** Whether the session's token is in a cookie. */
      readonly isBrowser: boolean;
      /**
       * Epoch milliseconds at which the external provider issued the token, or null for an Affkit session.
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
      /** The current role of the user who created the key. It limits the rights of the key. */
      readonly creatorRole: MemberRole;
    };

/** An `Actor` that is a signed-in user. */
export type SessionActor = Extract<Actor, { kind: 'session' }>;
