import type { Scope } from '@affkit/protocol';
import type { Rejection } from '../rejection.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { Actor, SessionActor } from './actor.ts';
import type { Permission } from './permission.ts';

/** The access rule of a route: who may call it. `resolveAccess` checks the rule before the handler runs. */
export type Access =
  /** Anyone. Credentials are ignored. */
  | { readonly kind: 'public' }
  /**
   * Anyone, with or without a program's tracking token. The handler receives the program that the token belongs
   * to. It receives `null` if the request has no `Authorization` header, and a `Rejection` if the header does not
   * contain a valid tracking token.
   */
  | { readonly kind: 'optional_token' }
  /** A valid tracking token of a program. */
  | { readonly kind: 'token' }
  /**
   * The session of a user who has `permission` in at least one workspace. The handler chooses the workspace
   * and checks the permission there. With `permission: null`, any signed-in user may call the route, because
   * it acts only on the user's own data. A user with a temporary password may call only routes with
   * `temporaryPassword`.
   */
  | {
      readonly kind: 'session';
      readonly permission: Permission | null;
      readonly temporaryPassword?: true;
    }
  /**
   * The session of a member with `scope`, or a management key with `scope`. With `program: true`, the path's
   * `:id` names the program, and the caller must have the scope on that program. If that program does not exist, or
   * the caller may not see it, the reply is a 404. All other callers who lack the scope get a 403.
   */
  | { readonly kind: 'management'; readonly scope: Scope; readonly program: boolean }
  /**
   * Every caller whom `management` with `program: true` would allow, and every partner who is enrolled in the program.
   * A partner needs a session and sees only their own data. A caller who is both a member and a partner is treated as a
   * member.
   */
  | { readonly kind: 'management_or_partner'; readonly scope: Scope }
  /**
   * The session of a member who has `permission` on the program in the path (`:programId`). Users who are not
   * members of the program's workspace get the error code in `nonMemberError`.
   */
  | {
      readonly kind: 'dashboard';
      readonly permission: 'tracking:read' | 'tracking:list' | 'performance:read';
      readonly nonMemberError: 'program_not_found' | 'forbidden';
    }
  /**
   * The session of a member who has `permission` on the program that the path's `:id` names. Management keys are
   * rejected.
   */
  | { readonly kind: 'program_session'; readonly permission: Permission }
  /**
   * The session of a user who is linked to at least one partner. The user sees only the data of those
   * partners.
   */
  | { readonly kind: 'partner' }
  /**
   * The callers that `session` allows, and any management key. The handler must ensure that a key can read and
   * change only its own row.
   */
  | { readonly kind: 'credential'; readonly permission: Permission };

/** Whether a route with this access may be called with a session. */
export function acceptsSession({ kind }: Access): boolean {
  return kind !== 'public' && kind !== 'optional_token' && kind !== 'token';
}

/**
 * The messages of the error `token_wrong_type` on routes that do not accept tracking tokens: `session` if the route
 * accepts only sessions, and `management` if it also accepts management keys.
 */
export const WRONG_TYPE_MESSAGES = {
  session: 'Wrong type of credential: this route requires a session',
  management: 'Wrong type of credential: this route requires a session or a management key (affk_…)',
} as const;

/** The caller that the handler of a route with access `A` receives. */
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
            : A extends { kind: 'program_session' }
              ? ProgramCaller
              : A extends { kind: 'management_or_partner' }
                ? MemberOrPartner
                : Actor;

export interface PartnerCaller {
  readonly actor: SessionActor;
  /** The user's partners in all workspaces; never empty. The user may see only rows of these partners. */
  readonly partners: readonly UserPartner[];
}

/**
 * A member or a management key, and the program of the request. The caller has the route's scope on that
 * program.
 */
export interface ProgramCaller {
  readonly actor: Actor;
  readonly program: ProgramAccount;
}

/** The caller of a route that members, management keys and partners of a program may call. */
export interface MemberOrPartner extends ProgramCaller {
  /** The partner whose data the caller may see. Null for a member or a key, who may see all partners. */
  readonly partnerId: number | null;
}
