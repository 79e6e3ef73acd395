#!/usr/bin/env node
const args = process.argv.slice(2);
if (args.length === 0) {
  // `npx @affkit/server` and `affkit-server` run this file without arguments.
  await import('./serve.ts');
} else {
  const { ignoreClosedPipe } = await import('./commands/closed-pipe.ts');
  const { runCommandLine } = await import('./commands/command-line.ts');
  ignoreClosedPipe(process.stdout);
  ignoreClosedPipe(process.stderr);
  const isInteractive = process.stdin.isTTY && process.stdout.isTTY;
  const confirm = async (question: string) => {
    const prompts = await import('./commands/confirm.ts');
    return prompts.confirm(question);
  };
  process.exitCode = await runCommandLine(args, {
    env: process.env,
    write: (text) => process.stdout.write(text),
    writeError: (text) => process.stderr.write(text),
    confirm: isInteractive ? confirm : undefined,
    progressStream: process.stderr.isTTY ? process.stderr : undefined,
  });
}
