import type { Scope } from '@affkit/protocol';
import type { Rejection } from '../rejection.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { Actor, SessionActor } from './actor.ts';
import type { Permission } from './permission.ts';

/**
 * Who may call a route. Every route states its access, and `resolveAccess` checks it before the handler runs.
 */
export type Access =
  /** Anyone. No credential is read. */
  | { readonly kind: 'public' }
  /**
   * Anyone, with or without a program's tracking token. The handler receives the token's program, `null` when
   * there is no credential, or a `Rejection` when the credential is not valid.
   */
  | { readonly kind: 'optional_token' }
  /** A valid tracking token of a program. */
  | { readonly kind: 'token' }
  /**
   * The session of a user who has `permission` in at least one workspace. The handler chooses the workspace
   * and checks the permission there. With `permission: null` any signed-in user may call the route, to act on
   * their own data. A user who must replace the password first may call it only with `temporaryPassword`.
   */
  | {
      readonly kind: 'session';
      readonly permission: Permission | null;
      readonly temporaryPassword?: true;
    }
  /**
   * The session of a member, or a management key, that has `scope`. With `program: true` the path's `:id`
   * names the program, and the caller must have the scope on that program. An unknown or invisible program
   * gets a 404. A missing permission gets a 403.
   */
  | { readonly kind: 'management'; readonly scope: Scope; readonly program: boolean }
  /**
   * Like `management` with `program: true`, or the session of a partner who is enrolled in the program and
   * sees only their own data. A caller who is both a member and a partner acts as the member.
   */
  | { readonly kind: 'management_or_partner'; readonly scope: Scope }
  /**
   * The session of a member who has `permission` on the program that the path's `:programId` names.
   * `outsiders` is the rejection of users who are not members of the program's workspace.
   */
  | {
      readonly kind: 'dashboard';
      readonly permission: 'tracking:read' | 'tracking:list' | 'performance:read';
      readonly outsiders: 'program_not_found' | 'forbidden';
    }
  /**
   * The session of a user who is linked to at least one partner. The user sees only the data of those
   * partners.
   */
  | { readonly kind: 'partner' }
  /** Like `session`, or any management key. The handler must let a key act only on itself. */
  | { readonly kind: 'credential'; readonly permission: Permission };

/** Whether a route with this access may be called with a session. */
export function acceptsSession({ kind }: Access): boolean {
  return kind !== 'public' && kind !== 'optional_token' && kind !== 'token';
}

/** The message of `token_wrong_type` where a route accepts other credentials than a tracking token. */
export const WRONG_TYPE = {
  session: 'Wrong type of credential: this route requires a session',
  management: 'Wrong type of credential: this route requires a session or a management key (affk_…)',
} as const;

/** What the handler of a route with access `A` receives as its checked caller. */
export type CallerOf<A extends Access> = A extends { kind: 'public' }
  ? null
  : A extends { kind: 'optional_token' }
    ? ProgramAccount | Rejection | null
    : A extends { kind: 'token' | 'dashboard' }
      ? ProgramAccount
      : A extends { kind: 'session' }
        ? SessionActor
        : A extends { kind: 'partner' }
          ? PartnerCaller
          : A extends { kind: 'management'; program: true }
            ? ProgramCaller
            : A extends { kind: 'management_or_partner' }
              ? MemberOrPartner
              : Actor;

/** A signed-in user who is linked to at least one partner. */
export interface PartnerCaller {
  readonly actor: SessionActor;
  /** The user's partners in all workspaces; never empty. The user must not see rows of other partners. */
  readonly partners: readonly UserPartner[];
}

/**
 * A member or a management key with the program of the request. The caller has the route's scope on that program.
 */
export interface ProgramCaller {
  readonly actor: Actor;
  readonly program: ProgramAccount;
}

/** The caller of a route that members, management keys and partners of a program may call. */
export interface MemberOrPartner extends ProgramCaller {
  /**
   * The enrolled partner whose data the caller may see. Null for a member or a key: they may see everything.
   */
  readonly partnerId: number | null;
}
