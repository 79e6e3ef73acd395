import { send } from './client.ts';

/** Gets a message when a user signs in or out in another tab of this browser. */
export const sessionChannel: BroadcastChannel = new BroadcastChannel('affkit-session');

/**
 * Sends a request that signs a user in or out, and tells the other tabs.
 * @throws ApiError
 */
export async function changeSession<T>(path: string, body?: object): Promise<T> {
  const reply = await send<T>('POST', path, body);
  sessionChannel.postMessage(null);
  return reply;
}
