import type { JSX } from 'preact';

/** Tells password managers for which user a form changes or confirms the password. It is not visible. */
export function UsernameField({ email }: { email: string }): JSX.Element {
  return <input type="email" autocomplete="username" value={email} readOnly hidden />;
}
