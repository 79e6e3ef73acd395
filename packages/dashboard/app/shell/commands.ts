import * as common from '#messages/common.ts';
import { invite } from '#messages/partners.ts';
import { pay } from '#messages/payouts.ts';
import * as messages from '#messages/shell.ts';
import type { Partner } from '../api/types.ts';
import type { ProgramView, Session, WorkspaceView } from '../session/session.tsx';
import { type NavItem, PROGRAM_PAGES, USER_PAGES, WORKSPACE_PAGES } from './nav.ts';

/** An entry of the command menu. */
export interface Command {
  readonly id: string;
  readonly text: string;
  /** The label for the kind of target, such as "Page". */
  readonly kind: string;
  /** The dashboard page that the entry opens. */
  readonly path: string;
}

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
  const found = [...rank(pages, query), ...people, ...rank(others, query).slice(0, MAX_LISTED_PROGRAMS)];
  if (query === '' || !view?.may('trace:read')) return found;
  const explain: Command = {
    id: 'explain',
    text: messages.explain(query),
    kind: common.why,
    path: `${view.page}/why?q=${encodeURIComponent(query)}`,
  };
  return looksLikeId(query) ? [explain, ...found] : [...found, explain];
}

/** Returns the pages of the program or workspace that the user may open. */
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

/** Returns the entries that contain every word of the query. Entries that start with the query come first. */
function rank(commands: readonly Command[], query: string): readonly Command[] {
  const whole = query.toLowerCase();
  const words = whole.split(/\s+/);
  const matches = commands.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
  const isFirst = ({ text }: Command) => text.toLowerCase().startsWith(whole);
  return [...matches.filter(isFirst), ...matches.filter((command) => !isFirst(command))];
}

/**
 * Whether the text looks more like an id than a name. It may be the id of a sale, click, customer or
 * commission.
 */
function looksLikeId(query: string): boolean {
  return !/\s/.test(query) && /[\d_#@]/.test(query);
}
