import { execFile } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import dockerignore from '@balena/dockerignore';
import { readStages, type Stage, type Step } from './dockerfile.ts';
import { createBase, runInside } from './file-system.ts';

const run = promisify(execFile);
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** An image: its root file system, and the settings of its containers. */
export interface Image {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly user: string;
  readonly volumes: readonly string[];
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
  readonly healthcheck: readonly string[];
  /** Removes the root file systems of all stages. */
  remove(): void;
}

type Settings = Omit<Image, 'folder' | 'remove'>;

/**
 * Executes the steps of a Dockerfile without a container engine, because a test cannot require one. The root file
 * systems are made from Debian packages. This function requires the root user and mmdebstrap.
 */
export async function buildImage(context: string): Promise<Image> {
  const stages = readStages(readFileSync(join(context, 'Dockerfile'), 'utf8'));
  const parent = mkdtempSync(join(tmpdir(), 'affkit-image-'));
  const remove = () => rmSync(parent, { recursive: true, force: true });
  try {
    const sent = join(parent, 'context');
    sendContext(context, sent);
    const folders = new Map<string | undefined, string>([[undefined, sent]]);
    let image: Image | undefined;
    for (const [index, stage] of stages.entries()) {
      const folder = join(parent, String(index));
      mkdirSync(folder);
      await createBase(stage.image, folder);
      image = { folder, remove, ...(await runStage(stage, folder, folders)) };
      if (stage.name !== undefined) folders.set(stage.name, folder);
    }
    if (!image) throw new Error('The Dockerfile has no stage');
    return image;
  } catch (error) {
    remove();
    throw error;
  }
}

/** Copies the files that a client of Docker sends to the engine: all that `.dockerignore` does not exclude. */
function sendContext(context: string, target: string): void {
  for (const path of listContext(context)) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    cpSync(join(context, path), join(target, path), { verbatimSymlinks: true });
  }
}

/** @returns the paths of the files that `.dockerignore` does not exclude */
export function listContext(context: string): string[] {
  const ignore = dockerignore.default().add(readFileSync(join(context, '.dockerignore'), 'utf8').split('\n'));
  if (!ignore.ignores('node_modules/a') || !ignore.ignores('packages/core/node_modules/a')) {
    throw new Error('.dockerignore must exclude node_modules');
  }
  const found = globSync('**/*', {
    cwd: context,
    withFileTypes: true,
    exclude: (entry) => entry.name === 'node_modules' || entry.name === '.git',
  });
  const files = found.filter((entry) => !entry.isDirectory());
  const paths = files.map((entry) => posix.relative(context, join(entry.parentPath, entry.name)));
  return ignore.filter(paths);
}

async function runStage(
  { steps }: Stage,
  folder: string,
  folders: ReadonlyMap<string | undefined, string>,
): Promise<Settings> {
  let settings: Settings = {
    env: { PATH },
    workdir: '/',
    user: '0:0',
    volumes: [],
    entrypoint: [],
    cmd: [],
    healthcheck: [],
  };
  for (const step of steps) {
    if (step.kind === 'run') {
      // The test runs every RUN step as root, so RUN must not follow USER.
      if (settings.user !== '0:0') throw new Error(`RUN after USER ${settings.user}`);
      const { env, workdir } = settings;
      await runInside(folder, { words: ['/bin/sh', '-c', step.script], env, workdir });
    } else if (step.kind === 'copy') {
      const source = folders.get(step.from);
      if (source === undefined) throw new Error(`COPY from the unknown stage ${step.from}`);
      await copy(source, folder, { ...step, workdir: settings.workdir });
    } else {
      if (step.kind === 'workdir') mkdirSync(join(folder, step.value), { recursive: true });
      settings = { ...settings, ...changeOf(step, settings) };
    }
  }
  return settings;
}

function changeOf(
  step: Exclude<Step, { kind: 'run' | 'copy' }>,
  { env, volumes }: Settings,
): Partial<Settings> {
  switch (step.kind) {
    case 'env':
      return { env: { ...env, ...step.variables } };
    case 'workdir':
    case 'user':
      return { [step.kind]: step.value };
    case 'volume':
      return { volumes: [...volumes, ...step.words] };
    case 'entrypoint':
    case 'cmd':
    case 'healthcheck':
      return { [step.kind]: step.words };
    case 'expose':
      return {};
  }
}

/** Copies files, and the content of folders, as Docker does. */
async function copy(
  source: string,
  folder: string,
  { paths, workdir }: { readonly paths: readonly string[]; readonly workdir: string },
): Promise<void> {
  const last = paths.at(-1) ?? '';
  const target = join(folder, posix.resolve(workdir, last));
  if (last.endsWith('/') || last === '.') mkdirSync(target, { recursive: true });
  else mkdirSync(dirname(target), { recursive: true });
  for (const path of paths.slice(0, -1)) {
    const from = join(source, path);
    if (statSync(from).isDirectory()) {
      mkdirSync(target, { recursive: true });
      await run('cp', ['--archive', `${from}/.`, target]);
    } else {
      const to = last.endsWith('/') || last === '.' ? join(target, basename(path)) : target;
      await run('cp', ['--archive', from, to]);
    }
  }
}
