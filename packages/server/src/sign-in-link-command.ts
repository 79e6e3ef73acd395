import { createSignInCode, type Engine } from '@affkit/core';

/** Where the page takes the code from the fragment, which browsers do not send to servers. */
const PAGE = '/app/sign-in';

/**
 * Prints a link that signs the user in once. The server may run meanwhile.
 * @param publicUrl the address at which browsers reach the server
 * @returns the exit code: 1 if no user has that email address, else 0
 */
export async function signInLinkCommand(
  engine: Engine,
  { email, publicUrl }: { readonly email: string; readonly publicUrl: string },
  print: (line: string) => void,
): Promise<number> {
  const signIn = await createSignInCode({ engine }, email);
  if (signIn === null) {
    print(`No user has the email address ${email}`);
    return 1;
  }
  print(`${publicUrl}${PAGE}#${signIn.code}`);
  print(`Signs ${email} in once, until ${new Date(signIn.expiresAt).toISOString()}. Do not share the link.`);
  return 0;
}
