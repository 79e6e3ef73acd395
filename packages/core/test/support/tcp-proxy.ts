import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * How the answer to a commit gets lost: it never reached the server; it did, and the connection broke while it was
 * carried out, or after that; or it reaches the server long after the client has lost its connection.
 */
export type Cut = 'before' | 'during' | 'after' | 'late';

/** Between a client and Postgres. */
export interface TcpProxy {
  /** The url by which the client comes through the proxy. */
  readonly url: string;
  /** What to do at the next commit that a client sends; all before and after it pass. @param commit @default COMMIT */
  cutNext(cut: Cut, commit?: CommitBytes): void;
  /** Ends when the commit that was awaited has been cut. */
  wasCut(): Promise<void>;
  /** From which ports the connections go on to the server whose commits come `late`, until they are sent on. */
  heldPorts(): number[];
  /** Sends on the commits that come `late`. */
  release(): void;
  close(): Promise<void>;
}

/** How a commit is known by what is in it, and in the server's answer. */
export interface CommitBytes {
  readonly asked: string;
  readonly answered: string;
}

/** Ends both the message of a client and the answer of the server, and nothing else that the engine sends. */
const COMMIT: CommitBytes = { asked: 'COMMIT\0', answered: 'COMMIT\0' };

/** Starts a proxy to the server of `target`, on a port of its own. */
export async function startProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cut: Cut | undefined;
  let commit = COMMIT;
  let cutDone = Promise.withResolvers<void>();
  const held: { readonly upstream: Socket; readonly data: Buffer }[] = [];

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let losesAnswer = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      if (!losesAnswer) upstream.destroy();
    });
    const lose = () => {
      client.destroy();
      cutDone.resolve();
    };
    client.on('data', (data) => {
      const how = data.includes(commit.asked) ? cut : undefined;
      if (how === undefined) {
        upstream.write(data);
        return;
      }
      cut = undefined;
      if (how === 'before') {
        lose();
        return;
      }
      losesAnswer = true;
      if (how === 'late') held.push({ upstream, data });
      else upstream.write(data);
      if (how !== 'after') lose();
    });
    upstream.on('data', (data) => {
      if (!losesAnswer) client.write(data);
      else if (data.includes(commit.answered)) {
        lose();
        upstream.destroy();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The proxy has no port');
  const url = new URL(target);
  url.port = String(address.port);

  return {
    url: url.href,
    cutNext: (how, known = COMMIT) => {
      cut = how;
      commit = known;
      cutDone = Promise.withResolvers();
    },
    wasCut: () => cutDone.promise,
    heldPorts: () => held.flatMap(({ upstream }) => upstream.localPort ?? []),
    release: () => {
      for (const { upstream, data } of held.splice(0)) upstream.end(data);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
