import { type Command, InvalidArgumentError } from 'commander';
import type { DatabaseCommand } from './database-command.ts';
import type { Terminal } from './terminal.ts';

/** How the commands of this file report their exit code and their examples. */
export interface CommandContext {
  readonly terminal: Terminal;
  setExitCode(code: number): void;
  runDatabaseCommand(command: DatabaseCommand): Promise<void>;
  parseProgramId(text: string): number;
  helpExamples(...commands: readonly string[]): string;
}

/** Adds the commands that find out what is wrong with an installation. */
export function addDiagnosticCommands(
  affkit: Command,
  { terminal, setExitCode, runDatabaseCommand, parseProgramId, helpExamples }: CommandContext,
): void {
  affkit
    .command('doctor')
    .description('Check settings, database, server, proxies and webhooks, and say what to do')
    .option('--page <url>', 'also check this page of your site: tag, CSP, origin and cookie', parsePageUrl)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nRun it with the settings of the server. It changes nothing. Exits with 1 if there is a problem.',
    )
    .addHelpText('after', helpExamples('doctor', 'doctor --page https://your-shop.example/ --json'))
    .action(async ({ page, json }: { page?: string; json: boolean }) => {
      const { runDoctor } = await import('./doctor-command.ts');
      setExitCode(await runDoctor({ pageUrl: page ?? null, json }, terminal));
    });

  affkit
    .command('status')
    .description('Describe the database, the work of the jobs, and the last events of each program')
    .option('--json', 'print JSON', false)
    .addHelpText('after', helpExamples('status', 'status --json'))
    .action(({ json }: { json: boolean }) =>
      runDatabaseCommand((commands, engine) => commands.runStatus(engine, { json }, terminal)),
    );

  affkit
    .command('test-chain')
    .description('Send a click, lead, sale and refund in test mode, and print each step')
    .argument('<program>', 'id of the program', parseProgramId)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nAt most 10 runs per program and hour. Exits with 1 if a step fails.')
    .addHelpText('after', helpExamples('test-chain 7', 'test-chain 7 --json'))
    .action((programId: number, { json }: { json: boolean }) =>
      runDatabaseCommand((commands, engine) => commands.runTestChain(engine, { programId, json }, terminal)),
    );

  affkit
    .command('why')
    .description('Explain what happened to a click, customer, sale or commission')
    .argument('<id>', 'click id, customer key, transaction id or commission id')
    .option('--program <id>', 'only this program', parseProgramId)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nThe page "Why" of the dashboard shows the same. Exits with 1 if the id is unknown.',
    )
    .addHelpText('after', helpExamples('why order-1001', 'why clk_… --program 7 --json'))
    .action((id: string, { program, json }: { program?: number; json: boolean }) =>
      runDatabaseCommand((commands, engine) =>
        commands.runWhy(engine, { id, programId: program ?? null, json }, terminal),
      ),
    );
}

function parsePageUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new InvalidArgumentError('It must be a URL, such as https://your-shop.example/.');
}
