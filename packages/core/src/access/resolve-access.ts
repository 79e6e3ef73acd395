import { parseRowId, type Scope } from '@affkit/protocol';
import { hashToken, isWellFormedToken } from '../domain/token.ts';
import { isRejection, Rejection } from '../rejection.ts';
import type { Runtime } from '../runtime.ts';
import { findApiKeyByHash, touchApiKey } from '../storage/accounts/api-keys.ts';
import { findSession, findUserWithMemberships } from '../storage/accounts/sessions.ts';
import { listPartnersOfUser } from '../storage/accounts/users.ts';
import { findPartnerOfUser } from '../storage/programs/partners.ts';
import { findProgram, type ProgramAccount } from '../storage/programs/programs.ts';
import {
  type Access,
  type CallerOf,
  type MemberOrPartner,
  type ProgramCaller,
  WRONG_TYPE_MESSAGES,
} from './access.ts';
import type { Actor, SessionActor } from './actor.ts';
import { readCredential, type SentCredentials, type SessionCookie } from './credential.ts';
import { findExternalUser } from './external-user.ts';
import {
  canSeeProgram,
  isAllowed,
  isAllowedInProgram,
  type Permission,
  roleAllows,
  roleIn,
} from './permission.ts';
import { recordSessionUse } from './session.ts';
import { readSessionToken } from './session-token.ts';

/**
 * The minimum time between two updates of a key's last use. Without this limit, a busy key would cause a write on each
 * request.
 */
const LAST_USED_PRECISION_MS = 60_000;

/**
 * Authenticates and authorizes a request according to the route's access. The checks run in this order:
 * credential, program, permission.
 *
 * @param credentials pass the cookie only if `acceptsSession` is true for the route
 * @param params the parameters of the path; `id` or `programId` is the program's id if the route has a
 * program
 * @returns the caller for the route's handler, or the rejection
 */
export function resolveAccess<A extends Access>(
  runtime: Runtime,
  access: A,
  credentials: SentCredentials,
  params: Readonly<Record<string, string>>,
): Promise<CallerOf<A> | Rejection> {
  // The cast is needed, because the compiler does not narrow `A` when the code checks `access.kind`.
  return resolveCaller(runtime, access, credentials, params) as Promise<CallerOf<A> | Rejection>;
}

async function resolveCaller(
  runtime: Runtime,
  access: Access,
  credentials: SentCredentials,
  params: Readonly<Record<string, string>>,
): Promise<CallerOf<Access> | ProgramCaller | Rejection> {
  switch (access.kind) {
    case 'public':
      return null;
    case 'optional_token':
      return credentials.authorization === undefined
        ? null
        : findTokenProgram(runtime, credentials.authorization);
    case 'token':
      return findTokenProgram(runtime, credentials.authorization);
    case 'session': {
      const actor = await findActor(runtime, credentials, 'session', access.temporaryPassword);
      if (isRejection(actor) || access.permission === null) return actor;
      return isAllowedAnywhere(actor, access.permission) ? actor : new Rejection('forbidden');
    }
    case 'dashboard': {
      const actor = await findActor(runtime, credentials, 'session');
      if (isRejection(actor)) return actor;
      const program = await findProgramOfPath(runtime, params['programId']);
      if (isRejection(program)) return program;
      const role = roleIn(actor, program.workspaceId);
      if (role === null) return new Rejection(access.nonMemberError);
      return roleAllows(role, access.permission) ? program : new Rejection('forbidden');
    }
    case 'partner': {
      const actor = await findActor(runtime, credentials, 'session');
      if (isRejection(actor)) return actor;
      const partners = await listPartnersOfUser(runtime.engine.read, actor.user.id);
      return partners.length > 0 ? { actor, partners } : new Rejection('forbidden');
    }
    case 'credential': {
      const actor = await findActor(runtime, credentials, 'management');
      if (isRejection(actor) || actor.kind === 'key') return actor;
      return isAllowedAnywhere(actor, access.permission) ? actor : new Rejection('forbidden');
    }
    case 'management': {
      const actor = await findActor(runtime, credentials, 'management');
      if (isRejection(actor)) return actor;
      if (access.program) return resolveProgramCaller(runtime, actor, access.scope, params['id']);
      return isAllowedAnywhere(actor, access.scope) ? actor : new Rejection('forbidden');
    }
    case 'program_session': {
      const actor = await findActor(runtime, credentials, 'session');
      if (isRejection(actor)) return actor;
      return resolveProgramCaller(runtime, actor, access.permission, params['id']);
    }
    case 'management_or_partner': {
      const actor = await findActor(runtime, credentials, 'management');
      if (isRejection(actor)) return actor;
      return resolveMemberOrPartner(runtime, actor, access.scope, params['id']);
    }
  }
}

/** Finds the program of the tracking token in an `Authorization` header. */
async function findTokenProgram(
  runtime: Runtime,
  header: string | undefined,
): Promise<ProgramAccount | Rejection> {
  const credential = readCredential(header, { bareJwt: false });
  switch (credential.kind) {
    case 'none':
      return new Rejection('authorization_missing');
    case 'empty':
      return new Rejection('token_empty');
    case 'managementKey':
    case 'jwt':
      return new Rejection('token_wrong_type');
    default: {
      const { text } = credential;
      const program = isWellFormedToken(text) ? await runtime.findProgramByToken(hashToken(text)) : null;
      return program ?? new Rejection('token_invalid');
    }
  }
}

async function findActor<K extends 'session' | 'management'>(
  runtime: Runtime,
  credentials: SentCredentials,
  accepts: K,
  allowTemporaryPassword?: boolean,
): Promise<(K extends 'session' ? SessionActor : Actor) | Rejection>;
async function findActor(
  runtime: Runtime,
  { authorization, cookie }: SentCredentials,
  accepts: 'session' | 'management',
  allowTemporaryPassword = false,
): Promise<Actor | Rejection> {
  if (authorization === undefined && cookie !== undefined) {
    const tokenId = await readSessionToken(runtime, cookie.token);
    return tokenId === null
      ? new Rejection('unauthenticated')
      : findSessionActor(runtime, tokenId, cookie, allowTemporaryPassword);
  }
  const credential = readCredential(authorization, { bareJwt: true });
  switch (credential.kind) {
    case 'none':
    case 'empty':
    case 'unknown':
      return new Rejection('unauthenticated');
    case 'trackingToken':
      return new Rejection('token_wrong_type', WRONG_TYPE_MESSAGES[accepts]);
    case 'managementKey':
      return accepts === 'session'
        ? new Rejection('token_wrong_type', WRONG_TYPE_MESSAGES.session)
        : findKeyActor(runtime, credential.text);
    case 'jwt':
      return findTokenActor(runtime, credential.text, allowTemporaryPassword);
  }
}

/** Finds the user of the JWT in an `Authorization` header. Its issuer is Affkit or the external identity provider. */
async function findTokenActor(
  runtime: Runtime,
  token: string,
  allowTemporaryPassword: boolean,
): Promise<SessionActor | Rejection> {
  const tokenId = await readSessionToken(runtime, token);
  if (tokenId !== null) return findSessionActor(runtime, tokenId, null, allowTemporaryPassword);
  const external = await findExternalUser(runtime, token);
  const user = external && (await findUserWithMemberships(runtime.engine.read, external.userId));
  if (!user) return new Rejection('unauthenticated');
  return {
    kind: 'session',
    sessionId: null,
    isBrowser: false,
    externalIssuedAt: external.issuedAt,
    user: user.user,
    memberships: user.memberships,
  };
}

/**
 * Finds the user of a session, and records its use.
 * @param cookie the cookie that contained the token, or null if the token was in the header. The token of a
 * browser session is accepted only in a cookie, and any other token only in the header.
 */
async function findSessionActor(
  runtime: Runtime,
  tokenId: string,
  cookie: SessionCookie | null,
  allowTemporaryPassword: boolean,
): Promise<SessionActor | Rejection> {
  const found = await findSession(runtime.engine.read, tokenId, runtime.now());
  const isBrowser = cookie !== null;
  if (found === null || (found.session.renewableUntil !== null) !== isBrowser) {
    return new Rejection('unauthenticated');
  }
  if (cookie?.rejection) return cookie.rejection;
  const { session, user, memberships, passwordIsTemporary } = found;
  if (passwordIsTemporary && !allowTemporaryPassword) return new Rejection('password_change_required');
  await recordSessionUse(runtime, session);
  return { kind: 'session', sessionId: session.id, isBrowser, externalIssuedAt: null, user, memberships };
}

async function findKeyActor(runtime: Runtime, secret: string): Promise<Actor | Rejection> {
  const key = isWellFormedToken(secret)
    ? await findApiKeyByHash(runtime.engine.read, hashToken(secret))
    : null;
  const at = runtime.now();
  const isExpired = key?.expiresAt != null && key.expiresAt <= at;
  if (key === null || key.creatorRole === null || key.revokedAt !== null || isExpired) {
    return new Rejection('key_rejected');
  }
  if (key.lastUsedAt === null || at - key.lastUsedAt >= LAST_USED_PRECISION_MS) {
    try {
      await runtime.engine.write(key.workspaceId, (tx) => touchApiKey(tx, key, at));
    } catch (error) {
      // A failure to store the last use must not fail the request.
      runtime.log.warn({ err: error, key_id: key.id }, 'could not store the last use of a management key');
    }
  }
  return {
    kind: 'key',
    keyId: key.id,
    workspaceId: key.workspaceId,
    scopes: key.scopes,
    programScope: key.programScope,
    creatorRole: key.creatorRole,
  };
}

async function resolveProgramCaller(
  runtime: Runtime,
  actor: Actor,
  permission: Permission,
  id: string | undefined,
): Promise<ProgramCaller | Rejection> {
  const program = await findProgramOfPath(runtime, id);
  if (isRejection(program)) return program;
  return isAllowedInProgram(actor, program, permission)
    ? { actor, program }
    : programRejection(actor, program);
}

async function resolveMemberOrPartner(
  runtime: Runtime,
  actor: Actor,
  scope: Scope,
  id: string | undefined,
): Promise<MemberOrPartner | Rejection> {
  const program = await findProgramOfPath(runtime, id);
  if (isRejection(program)) return program;
  if (isAllowedInProgram(actor, program, scope)) return { actor, program, partnerId: null };
  const partnerId =
    actor.kind === 'key' ? null : await findPartnerOfUser(runtime.engine.read, program.id, actor.user.id);
  return partnerId === null ? programRejection(actor, program) : { actor, program, partnerId };
}

/** A caller who may not see the program gets the same reply as for a program that does not exist. */
function programRejection(actor: Actor, program: ProgramAccount): Rejection {
  return new Rejection(canSeeProgram(actor, program) ? 'forbidden' : 'program_not_found');
}

/** Finds the program whose id is in the path. Text that is not a positive integer is rejected like an unknown id. */
async function findProgramOfPath(
  runtime: Runtime,
  id: string | undefined,
): Promise<ProgramAccount | Rejection> {
  const programId = id === undefined ? null : parseRowId(id);
  const program = programId === null ? null : await findProgram(runtime.engine.read, programId);
  return program ?? new Rejection('program_not_found');
}

/**
 * Whether the actor has the permission in at least one workspace. A user without a workspace is allowed too,
 * and gets empty lists.
 */
function isAllowedAnywhere(actor: Actor, permission: Permission): boolean {
  if (actor.kind === 'key') return isAllowed(actor, actor.workspaceId, permission);
  return (
    actor.memberships.length === 0 ||
    actor.memberships.some(({ workspaceId }) => isAllowed(actor, workspaceId, permission))
  );
}
