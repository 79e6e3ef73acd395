import * as common from '#messages/common.ts';
import { invite } from '#messages/partners.ts';
import { pay } from '#messages/payouts.ts';
import * as messages from '#messages/shell.ts';
import type { Partner } from '../api/types.ts';
import type { ProgramView, Session, WorkspaceView } from '../session/session.tsx';
import { type NavItem, PROGRAM_PAGES, WORKSPACE_PAGES } from './nav.ts';
import { type Command, rankCommands } from './rank-commands.ts';

/** The pages of the signed-in user. Everyone may open them. */
export const USER_PAGES = [
  { text: common.notifications, path: '/notifications' },
  { text: common.account, path: '/account' },
] as const;

/** The maximum number of listed programs. All other programs can be found by name. */
const MAX_LISTED_PROGRAMS = 20;

/** Returns the entries that match the text, best match first. */
export function commandsFor(
  text: string,
  {
    view,
    workspace,
    programs,
    partners = [],
  }: {
    readonly view: ProgramView | null;
    readonly workspace: WorkspaceView | null;
    readonly programs: Session['programs'];
    /** The partners of the program that match the text. */
    readonly partners?: readonly Pick<Partner, 'id' | 'name'>[];
  },
): readonly Command[] {
  const query = text.trim();
  const pages = [
    ...pagesOf(view, PROGRAM_PAGES),
    ...pagesOf(workspace, WORKSPACE_PAGES),
    ...USER_PAGES.map((page): Command => ({ ...page, id: `user${page.path}`, kind: messages.page })),
    ...actionsOf(view),
  ];
  const people = partners.map(
    ({ id, name }): Command => ({
      id: `partner-${id}`,
      text: name,
      kind: common.partner,
      path: `${view?.page}/partners/${id}`,
    }),
  );
  const others = programs
    .filter(({ id }) => id !== view?.program.id)
    .map(
      ({ id, name }): Command => ({
        id: `program-${id}`,
        text: name,
        kind: common.program,
        path: `/p/${id}`,
      }),
    );
  const found = [
    ...rankCommands(pages, query),
    ...people,
    ...rankCommands(others, query).slice(0, MAX_LISTED_PROGRAMS),
  ];
  if (query === '' || !view?.may('trace:read')) return found;
  const explain: Command = {
    id: 'explain',
    text: messages.explain(query),
    kind: common.why,
    path: `${view.page}/why?q=${encodeURIComponent(query)}`,
  };
  return looksLikeId(query) ? [explain, ...found] : [...found, explain];
}

/** Returns the pages that the user may open in the program or workspace. */
function pagesOf(
  view: Pick<WorkspaceView, 'page' | 'may'> | null,
  items: readonly NavItem[],
): readonly Command[] {
  if (view === null) return [];
  return items
    .filter(({ permission }) => view.may(permission))
    .map(({ text, path }) => ({ id: view.page + path, text, kind: messages.page, path: view.page + path }));
}

/** Returns the actions in the program that do not require a selected row. */
function actionsOf(view: ProgramView | null): readonly Command[] {
  if (view === null) return [];
  return [
    { text: invite, path: `${view.page}/partners?invite=1`, isAllowed: view.may('partner:create') },
    { text: pay, path: `${view.page}/payouts?pay=1`, isAllowed: view.may('payout:create') },
  ]
    .filter(({ isAllowed }) => isAllowed)
    .map(({ text, path }) => ({ id: path, text, kind: messages.action, path }));
}

/** Whether the text is more likely the id of a sale, click, customer or commission than a name. */
function looksLikeId(query: string): boolean {
  return !/\s/.test(query) && /[\d_#@]/.test(query);
}
