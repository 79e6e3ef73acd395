import type { Command } from 'commander';
import {
  addCommand,
  addGroup,
  type CommandContext,
  helpExamples,
  type OutputOptions,
} from './command-context.ts';
import type { LinkKind } from './link-command.ts';

/** Adds the commands that let a user sign in again. */
export function addAccountCommands(affkit: Command, { terminal, runOnDatabase }: CommandContext): void {
  const password = addGroup(affkit, 'password', 'Passwords of users');
  addCommand(
    password,
    'reset',
    'Set a random password and end all sessions. The user must then choose a password',
  )
    .argument('<email>', 'email address of the user')
    .addHelpText('after', helpExamples('password reset you@your-shop.example'))
    .action((email: string, options: OutputOptions) =>
      runOnDatabase(options, (commands, engine) => commands.resetPasswordCommand(engine, email)),
    );

  const addLink = (kind: LinkKind, name: string, description: string) => {
    addCommand(affkit, name, description)
      .argument('<email>', 'email address of the user')
      .addHelpText(
        'after',
        '\nSet PUBLIC_URL to the URL of the server. The default is http://localhost:PORT.',
      )
      .addHelpText('after', helpExamples(`${name} you@your-shop.example`))
      .action((email: string, options: OutputOptions) =>
        runOnDatabase(options, async (commands, engine) =>
          commands.linkCommand(engine, { kind, email, publicUrl: commands.readPublicUrl(terminal.env) }),
        ),
      );
  };
  addLink(
    'signIn',
    'sign-in-link',
    'Print a link that signs a user in without a password. It works once, for ten minutes',
  );
  addLink(
    'passwordReset',
    'password-reset-link',
    'Print a link with which a user can set a new password. It works once, for 30 minutes',
  );
}
