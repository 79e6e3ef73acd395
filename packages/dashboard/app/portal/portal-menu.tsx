import type { JSX } from 'preact';
import { useContext } from 'preact/hooks';
import * as common from '#messages/common.ts';
import * as messages from '#messages/portal.tsx';
import * as shell from '#messages/shell.ts';
import { useSession } from '../session/session.tsx';
import { CommandMenu } from '../shell/command-menu.tsx';
import type { NavSection, SectionsProps } from '../shell/nav.ts';
import { type Command, rankCommands } from '../shell/rank-commands.ts';
import type { Closable } from '../ui/use-overlay.tsx';
import { EnrollmentContext, useEnrollments } from './enrollment.ts';

/** Opens a page or a program of the partner, or starts an action. */
export function PortalMenu({ sections, onClose }: Closable<SectionsProps>): JSX.Element {
  return (
    <CommandMenu
      field={messages.menuField}
      none={messages.menuNone}
      useCommands={(text) => useCommands(text, sections)}
      onClose={onClose}
    />
  );
}

function useCommands(text: string, sections: readonly NavSection[]): readonly Command[] {
  const { me } = useSession();
  const enrollments = useEnrollments();
  const enrollment = useContext(EnrollmentContext);
  const pages = sections.flatMap((section) => section.pages);
  const commands: Command[] = pages.map((page) => ({
    id: page.path,
    text: page.text,
    kind: shell.page,
    path: page.path,
  }));
  if (enrollment?.program.status === 'approved') {
    const path = `${enrollment.page}/links?create=1`;
    commands.push({ id: path, text: messages.createLink, kind: shell.action, path });
  }
  for (const { program, page } of enrollments) {
    if (page !== enrollment?.page)
      commands.push({ id: page, text: program.name, kind: common.program, path: page });
  }
  commands.push({ id: 'account', text: common.account, kind: shell.page, path: '/partner/account' });
  if (me.workspaces.length > 0) {
    commands.push({ id: 'advertiser', text: shell.advertiserPages, kind: shell.page, path: '/' });
  }
  return rankCommands(commands, text.trim());
}
