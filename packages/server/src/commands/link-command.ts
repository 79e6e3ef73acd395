import { createPasswordResetCode, createSignInCode, type Engine } from '@affkit/core';
import type { CommandResult } from './command-result.ts';
import { unknownUser } from './password-command.ts';

/**
 * The kinds of one-time links. The code is in the fragment of the URL, because browsers do not send fragments to
 * servers.
 */
const LINK_KINDS = {
  signIn: {
    page: '/app/sign-in',
    create: createSignInCode,
    describe: (email: string, end: string) =>
      `This link signs ${email} in. It works once, until ${end}. Do not share it.`,
  },
  passwordReset: {
    page: '/app/reset',
    create: createPasswordResetCode,
    describe: (email: string, end: string) =>
      `With this link, ${email} can set a new password. It works once, until ${end}. Send it to nobody else.`,
  },
} as const;

export type LinkKind = keyof typeof LINK_KINDS;

/**
 * Creates a link that works once. You can run the command while the server is running.
 * @param options `publicUrl` is the URL under which browsers reach the server
 * @throws CommandError if no user has that email address
 */
export async function linkCommand(
  engine: Engine,
  options: { readonly kind: LinkKind; readonly email: string; readonly publicUrl: string },
): Promise<CommandResult> {
  const { kind, email, publicUrl } = options;
  const { page, create, describe } = LINK_KINDS[kind];
  const made = await create({ engine }, email);
  if (made === null) throw unknownUser(email);
  const url = `${publicUrl}${page}#${made.code}`;
  const expiresAt = new Date(made.expiresAt).toISOString();
  return { exitCode: 0, data: { email, url, expiresAt }, lines: [url, describe(email, expiresAt)] };
}
