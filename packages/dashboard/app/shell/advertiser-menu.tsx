import type { JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import * as messages from '#messages/shell.ts';
import type { ListReply, Partner } from '../api/types.ts';
import { useApi } from '../api/use-api.ts';
import { ProgramContext, useSession, WorkspaceContext } from '../session/session.tsx';
import { CommandMenu } from './command-menu.tsx';
import { commandsFor } from './commands.ts';
import type { Command } from './rank-commands.ts';

/** Opens a page, partner, or program by its name, starts an action, or explains an id. */
export function AdvertiserMenu({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <CommandMenu
      field={messages.commandField}
      none={messages.commandNone}
      useCommands={useCommands}
      onClose={onClose}
    />
  );
}

function useCommands(text: string): readonly Command[] {
  const { programs } = useSession();
  const view = useContext(ProgramContext);
  const workspace = useContext(WorkspaceContext);
  const partners = usePartners(text.trim());
  return commandsFor(text, { view, workspace, programs, partners });
}

/** The program's partners that match the text. The search starts after a short pause in typing. */
function usePartners(text: string): readonly Partner[] {
  const view = useContext(ProgramContext);
  const [q, setQ] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setQ(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const isSearched = text !== '' && q !== '' && view?.may('partner:list') === true;
  const query = { q, pageSize: MAX_PARTNERS };
  const found = useApi<ListReply<Partner>>(`${view?.api}/partners`, query, { enabled: isSearched });
  return (isSearched && found.data?.data) || NO_PARTNERS;
}

const PAUSE_MS = 150;
const MAX_PARTNERS = 5;
const NO_PARTNERS: readonly Partner[] = [];
