import { z } from 'zod';
import { idText, isStorable, nameText } from '../fields.ts';
import { strictFields } from '../strict-fields.ts';

/** A new password. The minimum length does not apply to existing passwords. */
const newPassword = (name: string) => {
  const error = `${name} must be a string of 8 to 1024 characters`;
  return z
    .string({ error })
    .min(8, { error })
    .max(1024, { error })
    .refine((text) => text.isWellFormed(), { error: `${name} must not contain lone surrogates` })
    .describe('New password, 8 to 1024 characters.');
};

export const currentPassword = z
  .string({ error: 'password is required' })
  .min(1, { error: 'password is required' })
  .max(1024, { error: 'password must be at most 1024 characters' })
  .describe('Current password.');

const cookie = z
  .boolean({ error: 'cookie must be true or false' })
  .optional()
  .describe(
    'Whether to start a browser session: the reply sets an HttpOnly cookie and has no token. Only pages of this server may request a browser session.',
  );

const email = z
  .string({ error: 'email is required' })
  .min(1, { error: 'email is required' })
  .max(320, { error: 'email must be at most 320 characters' })
  .refine(isStorable, { error: 'email must not contain NUL or lone surrogates' })
  .describe('Email address.');

const passwordSignIn = strictFields({
  email,
  password: currentPassword,
  cookie,
});

const codeSignIn = strictFields({
  code: idText('code', 'code is required').describe(
    'Code of a sign-in link (`affs_…`), in place of an email address and password. It works once.',
  ),
  cookie,
});

/**
 * Body of `POST /api/auth/login`. It contains an email address and a password, or the code of a sign-in link.
 */
export const loginRequest = z.union([passwordSignIn, codeSignIn], {
  error: ({ input, code, errors }) => {
    if (code !== 'invalid_union') return undefined;
    const hasCode = typeof input === 'object' && input !== null && 'code' in input;
    const issues = errors[hasCode ? 1 : 0] ?? [];
    return (issues.find((issue) => issue.code === 'unrecognized_keys') ?? issues[0])?.message;
  },
});

/** Body of `POST /api/auth/password`. */
export const changePasswordRequest = strictFields({
  password: currentPassword,
  new_password: newPassword('new_password'),
  cookie,
});

/** Body of `PUT /api/auth/me`. */
export const updateMeRequest = strictFields({ name: nameText('name').describe('Display name of the user.') });

const inviteToken = idText('token', 'token is required').describe('Invitation token.');

/** Body of `POST /api/auth/invite`. */
export const inviteRequest = strictFields({ token: inviteToken });

/**
 * Body of `POST /api/auth/accept-invite`. `password` sets the password of a new user, or replaces a password
 * that the sender of an earlier invitation may know. `current_password` keeps the existing password instead.
 */
export const acceptInviteRequest = strictFields({
  token: inviteToken,
  password: newPassword('password').optional(),
  current_password: currentPassword
    .describe(
      'Current password of the signed-in user. After the reply `password_required`, send it if you chose this password yourself and want to keep it.',
    )
    .optional(),
  cookie,
}).refine((body) => body.password === undefined || body.current_password === undefined, {
  error: 'Send either password or current_password',
});

/** Body of `POST /api/auth/password-reset`. */
export const requestPasswordResetRequest = strictFields({ email });

/** Body of `POST /api/auth/password-reset/confirm`. */
export const confirmPasswordResetRequest = strictFields({
  token: idText('token', 'token is required').describe('Code of a password reset link (`affr_…`).'),
  password: newPassword('password'),
  cookie,
});

export type LoginRequest = z.input<typeof loginRequest>;
export type ChangePasswordRequest = z.input<typeof changePasswordRequest>;
export type UpdateMeRequest = z.input<typeof updateMeRequest>;
export type AcceptInviteRequest = z.input<typeof acceptInviteRequest>;
export type RequestPasswordResetRequest = z.input<typeof requestPasswordResetRequest>;
export type ConfirmPasswordResetRequest = z.input<typeof confirmPasswordResetRequest>;
