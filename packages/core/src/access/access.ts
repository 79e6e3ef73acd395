import type { Scope } from '@affkit/protocol';
import type { Rejection } from '../rejection.ts';
import type { UserPartner } from '../storage/accounts/users.ts';
import type { ProgramAccount } from '../storage/programs/programs.ts';
import type { Actor, SessionActor } from './actor.ts';
import type { Permission } from './permission.ts';

/** Who may call a route. Each route must state it. */
export type Access =
  /** Anyone. */
  | { readonly kind: 'public' }
  /**
   * Anyone, or a program's tracking token: the handler is given the program, null without a credential, or why the
   * credential is refused.
   */
  | { readonly kind: 'optional_token' }
  /** A program's tracking token. */
  | { readonly kind: 'token' }
  /**
   * A signed-in user who has that permission in some workspace; the handler says in which it acts. Null = any user,
   * for what is his own.
   */
  | { readonly kind: 'session'; readonly permission: Permission | null }
  /**
   * A session, or a management key with `scope`. With `program`, the path's `:id` names a program that the
   * caller must be allowed to touch: 404 before 403.
   */
  | { readonly kind: 'management'; readonly scope: Scope; readonly program: boolean }
  /**
   * As `management` on the program of the path's `:id`, or the session of a partner who is enrolled in it, for what is
   * its own. Who is both calls as the member.
   */
  | { readonly kind: 'management_or_partner'; readonly scope: Scope }
  /** The session of a member with that permission on the program that the path's `:programId` names. */
  | {
      readonly kind: 'dashboard';
      readonly permission: 'tracking:read' | 'tracking:list' | 'performance:read';
    }
  /** The session of a user who is a partner somewhere, for what is his as that. */
  | { readonly kind: 'partner' }
  /** As `session`, or any management key, which the handler lets act on itself alone. */
  | { readonly kind: 'credential'; readonly permission: Permission };

/** The checked credential of a call, by the route's access. */
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

/** A user with all the partners that he is, at least one: of no other may he see a row. */
export interface PartnerCaller {
  readonly actor: SessionActor;
  readonly partners: readonly UserPartner[];
}

/** A member or a key, with the program that it may act on. */
export interface ProgramCaller {
  readonly actor: Actor;
  readonly program: ProgramAccount;
}

/** Who acts on a program: a member or a key, or a partner of it. */
export interface MemberOrPartner extends ProgramCaller {
  /** The partner that the caller is in the program; null for a member or a key. */
  readonly partnerId: number | null;
}
