import { type ServerProcess, startServerProcess } from '../server-process.ts';

/** A server process that is restarted each time it is killed. */
export class RestartedServer {
  readonly #env: Readonly<Record<string, string>>;
  readonly #onFailure: (error: Error) => void;
  #process: ServerProcess;
  /** The port of the process. It changes with each start. Undefined while the process starts. */
  port: number | undefined;
  /** The number of processes that were killed in order to restart the server. */
  kills = 0;

  /** @param onFailure called if the server does not start */
  constructor(env: Readonly<Record<string, string>>, onFailure: (error: Error) => void) {
    this.#env = env;
    this.#onFailure = onFailure;
    this.#process = this.#start();
  }

  /** Records clicks on the link `code`. Returns their ids. */
  async click(code: string, count: number): Promise<string[]> {
    const body = JSON.stringify({ affiliate_url: `https://shop.example/?aff=${code}` });
    const visit = async () => {
      const response = await this.#process.send('/api/v1/track/click', { method: 'POST', body });
      return ((await response.json()) as { click_id: string }).click_id;
    };
    return await Promise.all(Array.from({ length: count }, visit));
  }

  /** Kills the process with SIGKILL and starts it again. */
  restart(): void {
    this.kill();
    this.kills += 1;
    this.#process = this.#start();
  }

  /** Stops the process with SIGTERM. Returns its exit code. */
  async close(): Promise<unknown> {
    await this.#process.listening;
    this.#process.child.kill('SIGTERM');
    return await this.#process.exited;
  }

  kill(): void {
    this.#process.child.kill('SIGKILL');
  }

  #start(): ServerProcess {
    this.port = undefined;
    const started = startServerProcess(this.#env);
    started.listening.then(
      (port) => {
        if (this.#process === started) this.port = port;
      },
      (error: Error) => {
        if (this.#process === started) this.#onFailure(error);
      },
    );
    return started;
  }
}
