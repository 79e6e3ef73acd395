import { type Command, InvalidArgumentError } from 'commander';
import {
  addCommand,
  addProgramCommand,
  type CommandContext,
  helpExamples,
  type OutputOptions,
  parseProgramId,
} from './command-context.ts';

/** Adds the commands that find out what is wrong with an installation. */
export function addDiagnosticCommands(
  affkit: Command,
  { terminal, run, runOnDatabase }: CommandContext,
): void {
  addCommand(affkit, 'doctor', 'Check settings, database, server, proxies and webhooks, and say what to do')
    .option('--page <url>', 'also check this page of your site: tag, CSP, origin and cookie', parsePageUrl)
    .addHelpText(
      'after',
      '\nRun this command with the environment variables of the server. The command changes nothing. Exits with 1 if there is a problem.',
    )
    .addHelpText('after', helpExamples('doctor', 'doctor --page https://your-shop.example/ --json'))
    .action(({ page = null, ...options }: { page?: string | null } & OutputOptions) =>
      run(options, async () => {
        const { runDoctor } = await import('./doctor-command.ts');
        return runDoctor(page, terminal.env);
      }),
    );

  addCommand(affkit, 'status', 'Describe the database, the pending work, and the last events of each program')
    .addHelpText('after', helpExamples('status', 'status --json'))
    .action((options: OutputOptions) =>
      runOnDatabase({ ...options, acceptsAnyVersion: true }, (commands, engine) =>
        commands.runStatus(engine),
      ),
    );

  addCommand(affkit, 'test-chain', 'Send a click, lead, sale and refund in test mode, and print each step')
    .argument('<program>', 'id of the program', parseProgramId)
    .addHelpText('after', '\nAt most 10 runs per program and hour. Exits with 1 if a step fails.')
    .addHelpText('after', helpExamples('test-chain 7', 'test-chain 7 --json'))
    .action((programId: number, options: OutputOptions) =>
      runOnDatabase(options, (commands, engine) => commands.runTestChain(engine, programId, terminal)),
    );

  addProgramCommand(affkit, 'why', 'Explain what happened to a click, customer, sale or commission')
    .argument('<id>', 'click id, customer key, transaction id or commission id')
    .addHelpText(
      'after',
      '\nThe page "Why" of the dashboard shows the same. Exits with 1 if the id is unknown.',
    )
    .addHelpText('after', helpExamples('why order-1001', 'why clk_… --program 7 --json'))
    .action((id: string, { program = null, ...options }: { program?: number | null } & OutputOptions) =>
      runOnDatabase(options, (commands, engine) => commands.runWhy(engine, { id, programId: program })),
    );
}

function parsePageUrl(text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new InvalidArgumentError('It must be a URL, such as https://your-shop.example/.');
}
