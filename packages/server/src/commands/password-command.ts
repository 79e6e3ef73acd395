import { type Engine, resetPassword } from '@affkit/core';

/**
 * Sets and prints a new random password and ends the user's sessions. You can run the command while the
 * server is running.
 * @returns the exit code: 1 if no user has that email address, otherwise 0
 */
export async function resetPasswordCommand(
  engine: Engine,
  email: string,
  print: (line: string) => void,
): Promise<number> {
  const password = await resetPassword({ engine }, email);
  if (password === null) {
    print(`No user has the email address ${email}`);
    return 1;
  }
  print(
    `Sign in as ${email} with the password ${password} (shown only once). Then set a password of your own. All sessions have ended.`,
  );
  return 0;
}
