import type { ComponentChildren, JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { send } from '../api/client.ts';
import { BASE_PATH, ICON_URL, pageUrl } from '../mount.ts';
import { mayCreateProgram, ProgramContext, useSession } from '../session/session.tsx';
import { Button, Select } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Link } from '../ui/link.tsx';
import { Skeleton } from '../ui/state.tsx';
import { useToast } from '../ui/toast.tsx';
import { PROGRAM_PAGES } from './nav.ts';
import { useShortcuts } from './shortcuts.tsx';

/** The navigation beside every page. On a narrow screen it opens over the page. */
export function Frame({ children }: { children: ComponentChildren }): JSX.Element {
  const { url } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const help = useShortcuts();
  useEffect(() => setOpen(false), [url]);
  return (
    <div class="shell">
      <a class="button skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <Button kind="plain" icon="menu" label="Navigation" onClick={() => setOpen(true)} />
        <Brand />
      </header>
      {isOpen && (
        <button type="button" class="veil" aria-label="Close the navigation" onClick={() => setOpen(false)} />
      )}
      <aside class={isOpen ? 'side open' : 'side'} aria-label="Sidebar">
        <Brand />
        <ProgramSwitch />
        <Navigation />
        <SignedInUser />
      </aside>
      {children}
      {help}
    </div>
  );
}

function Brand(): JSX.Element {
  return (
    <a class="brand" href={pageUrl('/')}>
      <img src={ICON_URL} width={22} height={22} alt="" />
      Affkit
    </a>
  );
}

const NEW_PROGRAM = 'new';

/** Switches to the same page of another program, or leads to a new one. */
function ProgramSwitch(): JSX.Element | null {
  const { me, programs } = useSession();
  const { path, route } = useLocation();
  const view = useContext(ProgramContext);
  if (view === null) return null;
  const choices = programs.map(({ id, name }) => ({ value: String(id), text: name }));
  if (mayCreateProgram(me)) choices.push({ value: NEW_PROGRAM, text: 'New program…' });
  const change = (id: string) => {
    if (id === NEW_PROGRAM) return route(pageUrl('/welcome'));
    const section = path.slice(BASE_PATH.length).split('/')[3] ?? '';
    route(pageUrl(`/p/${id}${section === '' ? '' : `/${section}`}`));
  };
  return <Select label="Program" value={String(view.program.id)} choices={choices} onChange={change} />;
}

function Navigation(): JSX.Element | null {
  const { path } = useLocation();
  const view = useContext(ProgramContext);
  if (view === null) return null;
  const items = PROGRAM_PAGES.filter(({ permission }) => view.may(permission));
  return (
    <nav class="nav" aria-label="Program">
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
  const { route } = useLocation();
  const toast = useToast();
  const signOut = async () => {
    try {
      await send('POST', '/api/auth/logout');
      route(pageUrl('/sign-in'), true);
    } catch (error) {
      toast(error instanceof Error ? error.message : 'Signing out failed.');
    }
  };
  return (
    <div class="side-end">
      <span class="small quiet email" title={me.user.email}>
        {me.user.email}
      </span>
      <Button kind="plain" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}

/** The frame before the user and the programs are known, so that nothing moves when they arrive. */
export function LoadingFrame(): JSX.Element {
  return (
    <div class="shell" aria-busy="true">
      <header class="top">
        <Brand />
      </header>
      <aside class="side" aria-label="Sidebar">
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
