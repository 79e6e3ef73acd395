import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { snippetTargetOf } from '@affkit/dashboard/snippets';
import { createTwoFilesPatch } from 'diff';
import { CommandError, type CommandOutput, type CommandResult } from '../command-result.ts';
import type { Terminal } from '../terminal.ts';
import { applyEdit } from './edit.ts';
import { detectFramework, FRAMEWORKS, type Framework, type Plan, planFramework } from './frameworks.ts';
import { type GitState, readGitState } from './git-state.ts';
import { openProject, type Project } from './project.ts';

export interface InitOptions {
  /** The folder of the app. */
  readonly folder: string;
  /** If null, the framework is detected. */
  readonly framework: Framework | null;
  /** The URL of the server. */
  readonly serverUrl: string;
  /** If null, the script tag has no program id. */
  readonly programId: number | null;
  /** Whether to write without asking. */
  readonly yes: boolean;
  readonly dryRun: boolean;
}

interface Change {
  readonly path: string;
  readonly action: 'create' | 'change' | 'none';
  /** A unified diff; empty if the file does not change. */
  readonly patch: string;
}

interface PlannedChange extends Change {
  readonly before: string | null;
  readonly after: string;
}

/**
 * Adds the tracker and the SDK to the app in a folder. Shows the patch first, and writes only after a confirmation.
 * A second run changes nothing.
 * @throws CommandError if the framework is unknown, or if a file would be overwritten; then nothing is written
 */
export async function runInit(
  options: InitOptions,
  confirm: Terminal['confirm'],
  { printLine }: CommandOutput,
): Promise<CommandResult> {
  const folder = resolve(options.folder);
  if (!(await isFolder(folder))) throw new CommandError(`${folder} is not a folder`);
  const project = openProject(folder);
  const framework = options.framework ?? requireFramework(project);
  const plan = planFramework(framework, project, snippetTargetOf(options.serverUrl, '', options.programId));
  const planned = planChanges(plan, project);
  const changed = planned.filter(({ action }) => action !== 'none');
  const git = await readGitState(
    folder,
    changed.map(({ path }) => path),
  );
  printLine(`Framework: ${framework}`);
  for (const { patch } of changed) printLine(patch);
  for (const warning of gitWarnings(git)) printLine(warning);

  const steps = plan.packages.length === 0 ? [] : [`${project.installCommand} ${plan.packages.join(' ')}`];
  const nextSteps = [...steps, ...plan.steps];
  const isWritten = changed.length > 0 && !options.dryRun && (await isConfirmed(options, confirm, changed));
  if (isWritten) for (const change of changed) await write(folder, change);
  return {
    exitCode: 0,
    data: {
      framework,
      folder,
      written: isWritten,
      changes: planned.map(({ path, action, patch }): Change => ({ path, action, patch })),
      uncommitted: git.uncommitted,
      nextSteps,
    },
    lines: [
      changed.length === 0
        ? 'Everything is in place already. Nothing was written.'
        : isWritten
          ? `Wrote ${changed.map(({ path }) => path).join(', ')}.`
          : 'Nothing was written.',
      ...(nextSteps.length === 0 ? [] : ['Next steps:', ...nextSteps.map((step) => `  ${step}`)]),
    ],
  };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

function requireFramework(project: Project): Framework {
  const framework = detectFramework(project);
  if (framework !== null) return framework;
  throw new CommandError(
    `${project.folder} contains no framework that affkit knows. Run the command in the folder of your app, or choose with --framework: ${FRAMEWORKS.join(', ')}.`,
  );
}

function planChanges({ edits }: Plan, project: Project): PlannedChange[] {
  return edits.map((edit) => {
    const before = project.read(edit.path);
    const after = applyEdit(edit, before);
    const { path } = edit;
    return before === after
      ? { path, action: 'none', patch: '', before, after }
      : {
          path,
          action: before === null ? 'create' : 'change',
          patch: createTwoFilesPatch(
            before === null ? '/dev/null' : path,
            path,
            before ?? '',
            after,
          ).trimEnd(),
          before,
          after,
        };
  });
}

function gitWarnings({ uncommitted, notIgnored }: GitState): string[] {
  const secrets = notIgnored.filter((path) => path.startsWith('.env'));
  return [
    ...(uncommitted.length > 0
      ? [
          `Warning: uncommitted changes in ${uncommitted.join(', ')}. Commit them first. You can then undo this command with git without losing them.`,
        ]
      : []),
    ...secrets.map(
      (path) => `Warning: git does not ignore ${path}. Add it to .gitignore before you set the token.`,
    ),
  ];
}

/** @throws CommandError if there is no terminal in which to ask the user */
async function isConfirmed(
  { yes }: InitOptions,
  confirm: Terminal['confirm'],
  changed: readonly Change[],
): Promise<boolean> {
  if (yes) return true;
  if (!confirm) {
    throw new CommandError(
      'Nothing was written, because nobody can confirm the changes here. Pass --yes to write them, or --dry-run to only see them.',
    );
  }
  return await confirm(`Write ${changed.length === 1 ? 'this file' : `these ${changed.length} files`}?`);
}

/** @throws CommandError if the file has changed since it was read */
async function write(folder: string, { path, before, after }: PlannedChange): Promise<void> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  if (before === null) {
    // `wx` fails if the file exists.
    await writeFile(target, after, { flag: 'wx' }).catch(throwChanged(path));
    return;
  }
  if ((await readFile(target, 'utf8')) !== before) throwChanged(path)();
  const temporary = `${target}.affkit-${process.pid}`;
  try {
    await writeFile(temporary, after, { mode: (await stat(target)).mode });
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

function throwChanged(path: string): (error?: unknown) => never {
  return (error) => {
    throw new CommandError(`${path} has changed meanwhile. Run the command again.`, { cause: error });
  };
}
