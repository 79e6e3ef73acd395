import { StartError } from './ports.ts';

/** Path of the programs in the management API. */
export const API_PROGRAMS = '/api/advertiser/affiliate-programs';

export interface Owner {
  readonly email: string;
  readonly password: string;
}

/** Calls the management API with JSON. @returns `data` of the reply */
export type Api = <T>(method: string, path: string, body?: object) => Promise<T>;

/**
 * Signs in as the owner.
 * @returns a function that calls the management API in the owner's session
 * @throws StartError if the owner cannot sign in
 */
export async function signIn(baseUrl: string, owner: Owner): Promise<Api> {
  const response = await fetch(`${baseUrl}/api/auth/login`, requestOf('POST', undefined, owner));
  if (response.status === 401) {
    throw new StartError(
      `The database already has users, and ${owner.email} cannot sign in with the demo's password. ` +
        'Set ADMIN_EMAIL and ADMIN_PASSWORD to the credentials of a workspace owner in this database, or set another DATA_DIR for a second demo.',
    );
  }
  const { token, error } = (await response.json()) as { token?: string; error?: string };
  if (token === undefined) throw new StartError(`The sign-in failed: ${error}`);
  return <T>(method: string, path: string, body?: object) => callApi<T>(baseUrl, token, method, path, body);
}

/** @throws StartError if the response is an error */
async function callApi<T>(
  baseUrl: string,
  credential: string,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  return readData(await fetch(baseUrl + path, requestOf(method, credential, body)), `${method} ${path}`);
}

/** @throws StartError if the response is an error */
export async function readData<T>(response: Response, request: string): Promise<T> {
  const body = (await response.json()) as { data?: unknown; error?: string };
  if (!response.ok) throw new StartError(`${request} failed: ${response.status} ${body.error}`);
  // The cast is safe because the API documents this shape.
  return body.data as T;
}

export function requestOf(method: string, credential: string | undefined, body?: object): RequestInit {
  return {
    method,
    headers: {
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  };
}
