/**
 * Runs a task of the workspace on a machine that has only Node 20 (or newer) and npm.
 *
 * It installs the locked dependencies, including the Node of the workspace, and runs the task with that Node.
 * It is plain JavaScript without dependencies because it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const TASKS = [
  'start',
  'test',
  'test:unit',
  'test:int',
  'test:citus',
  'test:attack',
  'test:long',
  'build',
  'check',
  'format',
  'bench',
  'affkit',
  'docs',
  'docs:build',
  'release:version',
  'release:publish',
];
const MINIMUM_NODE = 20;
const PNPM = 'pnpm@12.21.0';
/** Two signals within this time come from one key press: the terminal sends one, npm forwards another. */
const SAME_PRESS_MS = 1000;
const PARENT_CHECK_MS = 500;

const root = fileURLToPath(new URL('..', import.meta.url));
const isWindows = process.platform === 'win32';
const workspaceNode = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');
const stamp = join(root, 'node_modules', '.affkit-install');

let running;
let stoppedAt = 0;
let stopSignal;

for (const [received, passedOn] of [
  ['SIGINT', 'SIGINT'],
  ['SIGTERM', 'SIGTERM'],
  ['SIGHUP', 'SIGTERM'],
]) {
  process.on(received, () => stop(passedOn));
}

// If npm is killed, it no longer forwards signals, so stop when the parent process changes.
const startedBy = process.ppid;
if (process.env.npm_lifecycle_event !== undefined) {
  setInterval(() => {
    if (process.ppid !== startedBy && stopSignal === undefined) stop('SIGTERM');
  }, PARENT_CHECK_MS).unref();
}

/** Forwards the first signal to the child. A signal from a later key press kills the process group of the child. */
function stop(signal) {
  if (stopSignal === undefined) {
    stopSignal = signal;
    stoppedAt = Date.now();
    running?.kill(signal);
  } else if (Date.now() - stoppedAt > SAME_PRESS_MS && running !== undefined) {
    if (isWindows) running.kill('SIGKILL');
    else process.kill(-running.pid, 'SIGKILL');
  }
}

/**
 * Runs a command in its own process group. If the child were in the group of this process, it would get Ctrl-C from the
 * terminal in addition to the signal from `stop`. With `channel`, an IPC channel lets the child exit when this process
 * dies.
 * @returns the exit code
 */
function run(command, args, { env = process.env, channel = false } = {}) {
  if (stopSignal !== undefined) return Promise.resolve(exitCodeOf(stopSignal));
  return new Promise((resolve) => {
    const stdio = channel ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit';
    const shell = isWindows && command === 'npx';
    const child = spawn(command, args, { cwd: root, env, stdio, shell, detached: !isWindows });
    running = child;
    const end = (code) => {
      running = undefined;
      resolve(code);
    };
    child.on('error', (error) => {
      console.error(`Could not run ${command}: ${error.message}`);
      end(1);
    });
    child.on('exit', (code, signal) => end(code ?? exitCodeOf(signal)));
  });
}

function exitCodeOf(signal) {
  return 128 + (constants.signals[signal] ?? 0);
}

/** Returns a value that changes with the platform, the manifests, the lockfile and the last installation. */
function installationState() {
  const folders = ['packages', 'examples'].flatMap((parent) =>
    existsSync(join(root, parent)) ? readdirSync(join(root, parent)).map((name) => join(parent, name)) : [],
  );
  const manifests = ['.', 'bench', 'site', ...folders].map((folder) => join(folder, 'package.json'));
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests.sort()]) {
    if (existsSync(join(root, file))) hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  }
  const installed = statSync(join(root, 'node_modules', '.modules.yaml'), { throwIfNoEntry: false });
  return `${hash.digest('hex')} ${installed?.mtimeMs ?? 'none'}\n`;
}

async function install() {
  if (existsSync(stamp) && existsSync(workspaceNode) && readFileSync(stamp, 'utf8') === installationState()) {
    return 0;
  }
  rmSync(stamp, { force: true });
  console.log('> install');
  const args = ['-y', PNPM, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false'];
  const code = await run('npx', args);
  if (code === 0) writeFileSync(stamp, installationState());
  return code;
}

async function main([task, ...args]) {
  if (Number.parseInt(process.versions.node, 10) < MINIMUM_NODE) {
    console.error(
      `Affkit requires Node ${MINIMUM_NODE} or newer, but this is Node ${process.versions.node}.`,
    );
    return 1;
  }
  if (!TASKS.includes(task)) {
    console.error(`Unknown task "${task ?? ''}". Tasks: ${TASKS.join(', ')}`);
    return 1;
  }
  const installed = await install();
  if (installed !== 0) return installed;

  const path = [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, AFFKIT_PNPM: PNPM };
  const onWorkspaceNode = (script, ...rest) =>
    run(workspaceNode, ['--import', './scripts/stop-with-parent.ts', script, ...rest], {
      env,
      channel: true,
    });
  if (task !== 'start') return onWorkspaceNode('scripts/tasks.ts', task, ...args);
  const built = await onWorkspaceNode('scripts/tasks.ts', 'build-if-changed');
  return built === 0 ? onWorkspaceNode('examples/shop/src/start.ts', ...args) : built;
}

process.exitCode = await main(process.argv.slice(2));
