import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Returns a port from 11000 to 32767 on which nothing listens. For outgoing connections and for servers that listen on
 * port 0, systems choose higher ports. The returned port therefore stays free until the caller uses it.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(11_000, 32_768);
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') continue;
      throw error;
    }
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

/** Returns different free ports; see `findFreePort`. */
export async function findFreePorts(count: number): Promise<[number, ...number[]]> {
  const first = await findFreePort();
  const ports = new Set([first]);
  while (ports.size < count) ports.add(await findFreePort());
  const [, ...others] = ports;
  return [first, ...others];
}
