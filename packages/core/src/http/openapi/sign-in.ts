import {
  acceptedInviteReply,
  changedMeReply,
  confirmedPasswordResetReply,
  doneReply,
  itemReply,
  listReply,
  meReply,
  openInviteRow,
  requestedPasswordResetReply,
  sessionRow,
  signedInReply,
} from '@affkit/protocol';
import type { z } from 'zod';
import { body, type Descriptions, joinParagraphs, reply } from './description.ts';
import { EXAMPLE_TIME, examplePagination, exampleUser } from './examples.ts';

const EXAMPLE_PASSWORD = 'correct horse battery';
const exampleBrowserSession = {
  success: true,
  expires_at: '2026-02-01T00:00:00.000Z',
  user: exampleUser,
} as const;
const exampleSignedIn = {
  ...exampleBrowserSession,
  token: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
} as const;
const exampleSession: z.output<typeof sessionRow> = {
  id: 1,
  kind: 'browser',
  device: 'Firefox on Linux',
  current: true,
  created_at: EXAMPLE_TIME,
  last_used_at: EXAMPLE_TIME,
  expires_at: '2026-02-01T00:00:00.000Z',
};

export const signInDescriptions: Descriptions = {
  'POST /api/auth/login': {
    id: 'logIn',
    tag: 'Sign-in',
    summary: 'Sign in',
    description: joinParagraphs(
      'Send the email address and password, or the `code` of a sign-in link. The session lasts 12 hours.',
      'With `cookie: true`, it is a browser session: the reply sets the cookie `__Host-affkit` (`affkit` over plain http) and has no token. A browser session lasts 12 hours after its last use, at most 14 days in total. A login request with `cookie: true` needs an `Origin` that is the origin of this server.',
      'After too many failed logins, the reply is 429 with `Retry-After`. A successful login sets the cookie `affkit_device`. Clients that send it back are not affected by failed logins of others.',
      'After `affkit password reset`, the reply has `password_change_required`, and the session can only call `POST /api/auth/password`, `GET /api/auth/me`, `POST /api/auth/accept-invite`, and `POST /api/auth/logout`.',
    ),
    body: body('LoginRequest', {
      'An email address and password': { email: 'owner@shop.example', password: EXAMPLE_PASSWORD },
      'A browser session': { email: 'owner@shop.example', password: EXAMPLE_PASSWORD, cookie: true },
      'A sign-in link': { code: 'affs_EXAMPLE', cookie: true },
    }),
    replies: {
      200: reply('The session.', signedInReply, {
        'Signed in': exampleSignedIn,
        'A browser session': exampleBrowserSession,
        'With a password that someone else has set': { ...exampleSignedIn, password_change_required: true },
      }),
    },
    errors: ['invalid_login', 'sign_in_code_invalid', 'login_rate_limited', 'origin_mismatch'],
  },
  'GET /api/auth/me': {
    id: 'readMe',
    tag: 'Sign-in',
    summary: 'Get the signed-in user',
    description: "Contains the workspaces in which the user is a member, and the user's partners.",
    replies: {
      200: reply('The user with their workspaces and partners.', meReply, {
        'A viewer': {
          success: true,
          user: exampleUser,
          workspaces: [
            { id: 1, name: 'Tea Shop', role: 'viewer', permissions: ['tracking:read', 'performance:read'] },
          ],
          partners: [],
        },
      }),
    },
  },
  'PUT /api/auth/me': {
    id: 'updateMe',
    tag: 'Sign-in',
    summary: "Change the signed-in user's name",
    description:
      "Members of the user's workspaces see this name. The name of a partner is separate, and the advertiser sets it.",
    body: body('MeUpdate', { 'A new name': { name: 'Ana Silva' } }),
    replies: {
      200: reply('The user.', changedMeReply, { Renamed: { success: true, user: exampleUser } }),
    },
  },
  'POST /api/auth/logout': {
    id: 'logOut',
    tag: 'Sign-in',
    summary: 'End the session',
    description:
      'Deletes the cookie of a browser session. The session of an external identity provider does not end at that provider.',
    replies: { 200: reply('The session has ended.', doneReply, { Ended: { success: true } }) },
  },
  'POST /api/auth/password': {
    id: 'changePassword',
    tag: 'Sign-in',
    summary: 'Change the password',
    description:
      'The new password must differ from the current password. Ends all sessions of the user. The reply contains a new session, which is a browser session if the request used a browser session or has `cookie: true`.',
    body: body('PasswordRequest', {
      'A new password': { password: EXAMPLE_PASSWORD, new_password: 'incorrect pony battery' },
    }),
    replies: { 200: reply('The new session.', signedInReply, { Changed: exampleSignedIn }) },
    errors: ['invalid_login', 'login_rate_limited'],
  },
  'GET /api/auth/sessions': {
    id: 'listSessions',
    tag: 'Sign-in',
    summary: "List the user's sessions",
    description: 'Sessions of an external identity provider are not listed.',
    replies: {
      200: reply('A page of sessions, newest first.', listReply(sessionRow), {
        One: { success: true, data: [exampleSession], meta: examplePagination(1) },
      }),
    },
  },
  'DELETE /api/auth/sessions': {
    id: 'endOtherSessions',
    tag: 'Sign-in',
    summary: 'End all other sessions',
    description:
      "Ends all other sessions of the user, and the user's sign-in links. The session of this request remains.",
    replies: { 200: reply('The other sessions have ended.', doneReply, { Ended: { success: true } }) },
  },
  'DELETE /api/auth/sessions/:id': {
    id: 'endSession',
    tag: 'Sign-in',
    summary: 'End one session',
    description: 'The session may be the current session of the request.',
    replies: { 200: reply('The session has ended.', doneReply, { Ended: { success: true } }) },
    errors: ['not_found'],
  },
  'POST /api/auth/password-reset': {
    id: 'requestPasswordReset',
    tag: 'Sign-in',
    summary: 'Ask for a password reset link',
    description: joinParagraphs(
      'The reply is the same whether or not a user has the address. With `delivery: email`, the service sends a link to the address if a user has it, at most five per hour. With `delivery: none`, the service sends no email, and its operator prints the link with `affkit password-reset-link`.',
      'In 15 minutes, each client may send 10 requests for the same address, and 50 for all addresses. After that, the reply is 429 with `Retry-After`.',
    ),
    body: body('PasswordResetRequest', { 'An address': { email: 'owner@shop.example' } }),
    replies: {
      200: reply('How the link reaches the user.', requestedPasswordResetReply, {
        Email: { success: true, delivery: 'email' },
        'No email': { success: true, delivery: 'none' },
      }),
    },
    errors: ['rate_limited'],
  },
  'POST /api/auth/password-reset/confirm': {
    id: 'confirmPasswordReset',
    tag: 'Sign-in',
    summary: 'Set a new password with a reset link',
    description: joinParagraphs(
      'The code of the link works once, within 30 minutes. The new password must differ from the current one.',
      'Ends all sessions of the user, and makes all other links of the user invalid. With `cookie: true`, the reply starts a browser session, as a sign-in does. Without it, the user must sign in.',
      'A wrong code counts as a failed login of the client. If failed logins have locked the email address for the client, a correct code unlocks it.',
    ),
    body: body('PasswordResetConfirmation', {
      'A new password': { token: 'affr_EXAMPLE', password: EXAMPLE_PASSWORD },
      'A browser session': { token: 'affr_EXAMPLE', password: EXAMPLE_PASSWORD, cookie: true },
    }),
    replies: {
      200: reply('The user, with a session if the request asked for one.', confirmedPasswordResetReply, {
        'A new password': { success: true, user: exampleUser },
        'A browser session': exampleBrowserSession,
      }),
    },
    errors: ['reset_code_invalid', 'login_rate_limited', 'origin_mismatch'],
  },
  'POST /api/auth/invite': {
    id: 'readInvite',
    tag: 'Sign-in',
    summary: 'Read an invitation',
    description:
      'Who is invited, and by which workspace. The reply does not reveal whether the service already has a user with this email address.',
    body: body('InviteToken', { 'An invitation': { token: 'affi_EXAMPLE' } }),
    replies: {
      200: reply('The invitation.', itemReply(openInviteRow), {
        'A member': {
          success: true,
          data: {
            kind: 'member',
            email: 'mia@shop.example',
            name: 'Mia',
            workspace_name: 'Shop',
            role: 'admin',
          },
        },
        'A partner': {
          success: true,
          data: {
            kind: 'partner',
            email: 'ana@blog.example',
            name: 'Ana',
            workspace_name: 'Shop',
            role: null,
          },
        },
      }),
    },
    errors: ['invite_invalid'],
  },
  'POST /api/auth/accept-invite': {
    id: 'acceptInvite',
    tag: 'Sign-in',
    summary: 'Accept an invitation',
    description: joinParagraphs(
      'If no user has the invited email address, send a `password`: the request creates the user. If a user has it, the request requires a session of that user.',
      'The sender of an earlier invitation may know the password of an existing user. In this case, one of two fields is required too. `password` sets a new password. `current_password` keeps the current password: send it only if the user chose it and nobody else knows it. If the operator has set the current password, only `password` is accepted. Each of the two fields ends all other sessions of the user.',
    ),
    takesSession: true,
    body: body('InviteRequest', {
      'A new user': { token: 'affi_EXAMPLE', password: EXAMPLE_PASSWORD },
      'A new user in a browser': { token: 'affi_EXAMPLE', password: EXAMPLE_PASSWORD, cookie: true },
      "In the user's session": { token: 'affi_EXAMPLE' },
      'With the current password': { token: 'affi_EXAMPLE', current_password: EXAMPLE_PASSWORD },
    }),
    replies: {
      200: reply('The user, with a session if the user is new.', acceptedInviteReply, {
        'A new user': exampleSignedIn,
        'A new user in a browser': exampleBrowserSession,
        'An existing user': { success: true, user: exampleUser },
      }),
    },
    errors: [
      'invite_invalid',
      'conflict',
      'forbidden',
      'password_required',
      'password_wrong',
      'password_change_required',
      'login_rate_limited',
      'unauthenticated',
      'token_wrong_type',
    ],
  },
};
