import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/shell.ts';
import { BASE_PATH, pageUrl } from '../mount.ts';
import { mayCreateProgram, ProgramContext, useSession, WorkspaceContext } from '../session/session.tsx';
import { useSignOut } from '../session/use-sign-out.ts';
import { Button, Select } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Link } from '../ui/link.tsx';
import { Logo } from '../ui/logo.tsx';
import { Skeleton } from '../ui/state.tsx';
import { Bell } from './bell.tsx';
import { type NavItem, PROGRAM_PAGES, WORKSPACE_PAGES } from './nav.ts';
import { MENU_KEYS, useShortcuts } from './shortcuts.tsx';
import { useCommandMenu } from './use-command-menu.tsx';

/** The frame of every page, with the navigation. On a narrow screen, the navigation opens over the page. */
export function Frame({ children }: { children: ComponentChildren }): JSX.Element {
  const { url } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [menu, openMenu] = useCommandMenu();
  const help = useShortcuts(openMenu);
  useEffect(() => setOpen(false), [url]);
  return (
    <div class="shell">
      <a class="button skip" href="#main">
        {messages.skip}
      </a>
      <header class="top">
        <Button kind="plain" icon="menu" label={messages.navigation} onClick={() => setOpen(true)} />
        <Brand />
        <Bell />
      </header>
      {isOpen && (
        <button
          type="button"
          class="veil"
          aria-label={messages.closeNavigation}
          onClick={() => setOpen(false)}
        />
      )}
      <aside class={isOpen ? 'side open' : 'side'} aria-label={messages.sidebar}>
        <div class="row apart">
          <Brand />
          <Bell />
        </div>
        <ProgramSwitch />
        <MenuButton onClick={openMenu} />
        <Navigation />
        <SignedInUser />
      </aside>
      {children}
      {help}
      {menu}
    </div>
  );
}

function Brand(): JSX.Element {
  return (
    <a class="brand" href={pageUrl('/')}>
      <Logo size={22} />
      {common.brand}
    </a>
  );
}

const NEW_PROGRAM = 'new';

/**
 * Opens the same page of another program. From a page of a workspace, it opens the overview of the program.
 */
function ProgramSwitch(): JSX.Element | null {
  const { me, programs } = useSession();
  const { path, route } = useLocation();
  const view = useContext(ProgramContext);
  if (view === null) return null;
  const choices = programs.map(({ id, name }) => ({ value: String(id), text: name }));
  if (mayCreateProgram(me)) choices.push({ value: NEW_PROGRAM, text: messages.newProgram });
  const change = (id: string) => {
    if (id === NEW_PROGRAM) return route(pageUrl('/welcome'));
    const [, group, , name = ''] = path.slice(BASE_PATH.length).split('/');
    const section = group === 'p' ? name : '';
    route(pageUrl(`/p/${id}${section === '' ? '' : `/${section}`}`));
  };
  return (
    <Select label={common.program} value={String(view.program.id)} choices={choices} onChange={change} />
  );
}

function MenuButton({ onClick }: { onClick: () => void }): JSX.Element {
  return (
    <button type="button" class="menu-button" aria-keyshortcuts="Meta+K Control+K" onClick={onClick}>
      <Icon name="search" size={16} />
      {messages.goTo}
      <kbd>{MENU_KEYS.join(MENU_KEYS[0] === '⌘' ? '' : ' ')}</kbd>
    </button>
  );
}

function Navigation(): JSX.Element {
  const program = useContext(ProgramContext);
  const workspace = useContext(WorkspaceContext);
  const { me } = useSession();
  const hasSeveral = me.workspaces.length > 1;
  return (
    <>
      {program && <NavGroup label={common.program} view={program} pages={PROGRAM_PAGES} />}
      {workspace && (
        <NavGroup
          label={common.workspace}
          title={hasSeveral ? workspace.name : common.workspace}
          view={workspace}
          pages={WORKSPACE_PAGES}
        />
      )}
    </>
  );
}

function NavGroup({
  label,
  title,
  view,
  pages,
}: {
  label: string;
  title?: string;
  view: { readonly page: string; readonly may: (permission: string) => boolean };
  pages: readonly NavItem[];
}): JSX.Element | null {
  const { path } = useLocation();
  const items = pages.filter(({ permission }) => view.may(permission));
  if (items.length === 0) return null;
  return (
    <nav class="nav" aria-label={label}>
      {title !== undefined && (
        <span class="nav-title" title={title}>
          {title}
        </span>
      )}
      {items.map((item) => {
        const target = view.page + item.path;
        const url = pageUrl(target);
        const isHere = path === url || (item.path !== '' && path.startsWith(`${url}/`));
        return (
          <Link key={item.path} to={target} current={isHere ? 'page' : undefined}>
            <Icon name={item.icon} />
            {item.text}
          </Link>
        );
      })}
    </nav>
  );
}

function SignedInUser(): JSX.Element {
  const { me } = useSession();
  const { path } = useLocation();
  const signOut = useSignOut();
  const isHere = path === pageUrl('/account');
  return (
    <div class="side-end">
      <nav class="nav" aria-label={common.account}>
        <Link to="/account" current={isHere ? 'page' : undefined}>
          <Icon name="account" />
          <span class="email" title={me.user.email}>
            {me.user.email}
          </span>
        </Link>
      </nav>
      <Button kind="plain" onClick={signOut}>
        {common.signOut}
      </Button>
    </div>
  );
}

/**
 * The frame while the user and the programs are loading. It has the same layout, so that nothing moves when
 * they arrive.
 */
export function LoadingFrame(): JSX.Element {
  return (
    <div class="shell" aria-busy="true">
      <header class="top">
        <Brand />
      </header>
      <aside class="side" aria-label={messages.sidebar}>
        <Brand />
        <Skeleton height="32px" />
      </aside>
      <main class="page">
        <div class="page-head">
          <Skeleton width="160px" height="28px" />
        </div>
      </main>
    </div>
  );
}
