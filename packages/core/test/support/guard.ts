import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Cleans up after a part of the tests. */
export interface Guard {
  /** Runs the script now, and waits for it. Calling it again has no effect. */
  end(): Promise<void>;
}

/** Starts a shell that runs a script when this process dies. @param args the arguments of the script */
export function startGuard(script: string, ...args: readonly string[]): Guard {
  // `cat` ends when the shell's stdin closes. The shell is detached, so that Ctrl-C does not reach it.
  const shell = spawn('sh', ['-c', `cat\n${script}`, 'sh', ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.unref();
  return {
    end: async () => {
      if (shell.exitCode !== null) return;
      shell.ref();
      const exited = once(shell, 'exit');
      shell.stdin.end();
      await exited;
    },
  };
}
