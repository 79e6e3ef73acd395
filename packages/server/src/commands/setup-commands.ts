import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  addCommand,
  type CommandContext,
  helpExamples,
  type OutputOptions,
  parseProgramId,
} from './command-context.ts';
import { FRAMEWORKS, type Framework } from './init/frameworks.ts';

interface InitArguments extends OutputOptions {
  readonly url?: string;
  readonly program?: number | null;
  readonly framework?: Framework | null;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/** Adds the command that connects an app with the server. */
export function addSetupCommands(affkit: Command, { terminal, run }: CommandContext): void {
  addCommand(affkit, 'init', 'Add the tracker and the SDK to the app in a folder. Shows the changes first')
    .argument('[folder]', 'folder of the app', '.')
    .option('--url <url>', 'URL of the server; the default is PUBLIC_URL', parseServerUrl)
    .option('--program <id>', 'id of the program', parseProgramId)
    .addOption(
      new Option('--framework <name>', 'use this framework, without detecting it').choices(FRAMEWORKS),
    )
    .option('--dry-run', 'only show the changes', false)
    .option('--yes', 'write without a question', false)
    .addHelpText('after', '\nNever overwrites a file. You can run it again.')
    .addHelpText(
      'after',
      helpExamples('init --url https://track.your-shop.example --program 7', 'init ../shop --dry-run'),
    )
    .action((folder: string, { url, program = null, framework = null, json, yes, dryRun }: InitArguments) =>
      run({ json }, async (output) => {
        const [{ runInit }, { readPublicUrl }] = await Promise.all([
          import('./init/init-command.ts'),
          import('../config.ts'),
        ]);
        const serverUrl = url ?? readPublicUrl(terminal.env);
        const confirm = json ? undefined : terminal.confirm;
        return runInit({ folder, framework, serverUrl, programId: program, yes, dryRun }, confirm, output);
      }),
    );
}

function parseServerUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && url.pathname === '/' && url.search === '' && url.hash === '';
  if (isOrigin && (url.protocol === 'https:' || url.protocol === 'http:')) return url.origin;
  throw new InvalidArgumentError('It must be a URL without a path, such as https://track.your-shop.example.');
}
