/** Characters that need no quotes in a shell. */
const SHELL_SAFE = /^[\w.@%+-]+$/;

/**
 * Returns the command that prints a reset link for the email address. The email address is quoted, so that
 * the shell treats it as a single word.
 */
export function resetCommand(email: string): string {
  const word = SHELL_SAFE.test(email) ? email : `'${email.replaceAll("'", "'\\''")}'`;
  return ['affkit', 'password-reset-link', word].join(' ');
}
