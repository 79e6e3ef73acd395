import { type Engine, resetPassword } from '@affkit/core';

/**
 * Gives a user a new password, beside a service that may use the database, and prints it.
 * @returns the exit code: 1 where no user has that e-mail
 */
export async function runPassword(
  engine: Engine,
  email: string,
  print: (line: string) => void,
): Promise<number> {
  const password = await resetPassword({ engine }, email);
  if (password === null) {
    print(`There is no user ${email}`);
    return 1;
  }
  print(`${email} signs in with the password ${password} (shown only this once); every session has ended`);
  return 0;
}
