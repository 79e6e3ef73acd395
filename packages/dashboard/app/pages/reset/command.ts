/** Characters that need no quotes in a shell. */
const SHELL_SAFE = /^[\w.@%+-]+$/;

/** The command that prints a reset link for the address. Any address is a single word of the shell. */
export function resetCommand(email: string): string {
  const word = SHELL_SAFE.test(email) ? email : `'${email.replaceAll("'", "'\\''")}'`;
  return ['affkit', 'password-reset-link', word].join(' ');
}
