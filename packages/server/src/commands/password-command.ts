import { type Engine, resetPassword } from '@affkit/core';
import { CommandError, type CommandResult } from './command-result.ts';

/**
 * Sets a new random password and ends the user's sessions. You can run the command while the server is running.
 * @throws CommandError if no user has that email address
 */
export async function resetPasswordCommand(engine: Engine, email: string): Promise<CommandResult> {
  const password = await resetPassword({ engine }, email);
  if (password === null) throw unknownUser(email);
  return {
    exitCode: 0,
    data: { email, password },
    lines: [
      `Sign in as ${email} with the password ${password} (shown only once). Then set a password of your own. All sessions have ended.`,
    ],
  };
}

export function unknownUser(email: string): CommandError {
  return new CommandError(`No user has the email address ${email}`);
}
