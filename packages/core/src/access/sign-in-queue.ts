/**
 * The maximum number of attempts in one queue, including the running attempt. Each attempt can take a second,
 * so in a longer queue the last clients would time out.
 */
export const MAX_QUEUED_SIGN_INS = 32;

interface SignInQueue {
  last: Promise<unknown>;
  size: number;
}

const signInQueues = new Map<string, SignInQueue>();

/**
 * Runs calls with the same key one after another, within this process.
 * @returns `'full'`, without running `work`, when `MAX_QUEUED_SIGN_INS` calls with this key already run or wait
 */
export async function runInQueue<T>(key: string, work: () => Promise<T>): Promise<T | 'full'> {
  const queue = signInQueues.get(key) ?? { last: Promise.resolve(), size: 0 };
  if (queue.size >= MAX_QUEUED_SIGN_INS) return 'full';
  signInQueues.set(key, queue);
  queue.size += 1;
  const result = queue.last.then(work);
  queue.last = result.catch(() => {});
  try {
    return await result;
  } finally {
    queue.size -= 1;
    if (queue.size === 0) signInQueues.delete(key);
  }
}
