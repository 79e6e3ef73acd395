import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * How the reply to a commit is lost.
 * - `before`: the connection is closed before COMMIT reaches the server.
 * - `during`: the connection is closed while the server runs COMMIT.
 * - `after`: the connection is closed after the server has committed.
 * - `late`: the connection is closed first, and COMMIT reaches the server later.
 */
export type CutPoint = 'before' | 'during' | 'after' | 'late';

/** A proxy between a client and Postgres that can lose the reply to a commit. */
export interface TcpProxy {
  /** Connection URL of the proxy. */
  readonly url: string;
  /**
   * Cuts the connection at the next commit only.
   * @param commit how to recognize the commit. @default COMMIT
   */
  cutNextCommit(cut: CutPoint, commit?: CommitPattern): void;
  /** Waits until the connection has been cut. */
  waitForCut(): Promise<void>;
  /** Local ports of the server connections with `late` commits that have not been released. */
  lateCommitPorts(): number[];
  /** Forwards the held `late` commits to the server. */
  releaseLateCommits(): void;
  close(): Promise<void>;
}

/** The texts that identify a commit and its reply. */
export interface CommitPattern {
  readonly request: string;
  readonly reply: string;
}

/**
 * Both the client's message and the server's reply end in this text. No other message of the engine contains this
 * text.
 */
const COMMIT: CommitPattern = { request: 'COMMIT\0', reply: 'COMMIT\0' };

/** Starts a proxy to the server of the URL `target`, on a free port. */
export async function startProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let cut: CutPoint | undefined;
  let commit = COMMIT;
  let whenCut = Promise.withResolvers<void>();
  const held: { readonly upstream: Socket; readonly data: Buffer }[] = [];

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let losesReply = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      if (!losesReply) upstream.destroy();
    });
    const cutClient = () => {
      client.destroy();
      whenCut.resolve();
    };
    client.on('data', (data) => {
      const how = data.includes(commit.request) ? cut : undefined;
      if (how === undefined) {
        upstream.write(data);
        return;
      }
      cut = undefined;
      if (how === 'before') {
        cutClient();
        return;
      }
      losesReply = true;
      if (how === 'late') held.push({ upstream, data });
      else upstream.write(data);
      if (how !== 'after') cutClient();
    });
    upstream.on('data', (data) => {
      if (!losesReply) client.write(data);
      else if (data.includes(commit.reply)) {
        cutClient();
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
    cutNextCommit: (how, known = COMMIT) => {
      cut = how;
      commit = known;
      whenCut = Promise.withResolvers();
    },
    waitForCut: () => whenCut.promise,
    lateCommitPorts: () => held.flatMap(({ upstream }) => upstream.localPort ?? []),
    releaseLateCommits: () => {
      for (const { upstream, data } of held.splice(0)) upstream.end(data);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
