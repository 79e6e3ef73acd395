import type { JSX } from 'preact';

/** A hidden field. It tells password managers which user's password the form changes or confirms. */
export function UsernameField({ email }: { email: string }): JSX.Element {
  return <input type="email" autocomplete="username" value={email} readOnly hidden />;
}
