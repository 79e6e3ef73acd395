import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import * as common from '#messages/common.ts';
import * as messages from '#messages/shell.ts';
import { pageUrl } from '../mount.ts';
import { useSession } from '../session/session.tsx';
import { useSignOut } from '../session/use-sign-out.ts';
import { Button } from '../ui/controls.tsx';
import { Icon } from '../ui/icons.tsx';
import { Link } from '../ui/link.tsx';
import { Logo } from '../ui/logo.tsx';
import { Skeleton } from '../ui/state.tsx';
import type { LoadOverlay } from '../ui/use-overlay.tsx';
import type { NavSection, SectionsProps } from './nav.ts';
import { MENU_KEYS } from './page-keys.ts';
import { useShortcuts } from './shortcuts.ts';

/** The navigation beside every page. On a narrow screen, it is a popover over the page. */
export function Frame({
  home,
  account,
  bell,
  programSwitch,
  sections,
  otherSide,
  loadMenu,
  children,
}: {
  /** Path of the first page. */
  home: string;
  /** Path of the page of the signed-in user. */
  account: string;
  bell: ComponentChildren;
  programSwitch: ComponentChildren;
  sections: readonly NavSection[];
  /** The pages of the user's other role, if the user is both an advertiser and a partner. */
  otherSide?: { readonly path: string; readonly text: string } | undefined;
  loadMenu: LoadOverlay<SectionsProps>;
  children: ComponentChildren;
}): JSX.Element {
  const { url } = useLocation();
  const side = useRef<HTMLElement>(null);
  const { menu, openMenu, keyList } = useShortcuts(loadMenu, sections);
  useEffect(() => side.current?.hidePopover(), [url]);
  return (
    <div class="shell">
      <a class="button skip" href="#main">
        {messages.skip}
      </a>
      <header class="top">
        <button
          type="button"
          class="button plain square"
          popovertarget="side"
          aria-label={messages.navigation}
          title={messages.navigation}
        >
          <Icon name="menu" size={16} />
        </button>
        <Brand home={home} />
        {bell}
      </header>
      {/* The browser closes the popover on Escape and on a click elsewhere, and moves the focus back to the button. */}
      <aside
        ref={side}
        id="side"
        class="side"
        popover="auto"
        aria-label={messages.sidebar}
        onToggle={({ currentTarget, newState }) => {
          if (newState === 'open') currentTarget.querySelector('a')?.focus();
        }}
        onFocusOut={({ currentTarget, relatedTarget }) => {
          // The focus must not move to content that the navigation covers. The cast is safe, because only a node can
          // have the focus.
          if (relatedTarget && !currentTarget.contains(relatedTarget as Node)) currentTarget.hidePopover();
        }}
      >
        <div class="row apart">
          <Brand home={home} />
          {bell}
        </div>
        {programSwitch}
        <MenuButton
          onClick={() => {
            // Hiding the navigation moves the focus to the button that opened the navigation. When the menu closes,
            // the focus returns to this button.
            side.current?.hidePopover();
            openMenu();
          }}
        />
        {sections.map((section) => (
          <Section key={section.label} section={section} />
        ))}
        <SignedInUser account={account} otherSide={otherSide} />
      </aside>
      {children}
      {keyList}
      {menu}
    </div>
  );
}

function Brand({ home }: { home: string }): JSX.Element {
  return (
    <a class="brand" href={pageUrl(home)}>
      <Logo size={22} />
      {common.brand}
    </a>
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

function Section({ section: { label, title, pages } }: { section: NavSection }): JSX.Element {
  const { path } = useLocation();
  return (
    <nav class="nav" aria-label={label}>
      {title !== undefined && (
        <span class="nav-title" title={title}>
          {title}
        </span>
      )}
      {pages.map((page) => {
        const url = pageUrl(page.path);
        const isHere = path === url || (page.isExact !== true && path.startsWith(`${url}/`));
        return (
          <Link key={page.path} to={page.path} current={isHere ? 'page' : undefined}>
            <Icon name={page.icon} />
            {page.text}
          </Link>
        );
      })}
    </nav>
  );
}

function SignedInUser({
  account,
  otherSide,
}: {
  account: string;
  otherSide: { readonly path: string; readonly text: string } | undefined;
}): JSX.Element {
  const { me } = useSession();
  const { path } = useLocation();
  const signOut = useSignOut();
  const isHere = path === pageUrl(account);
  return (
    <div class="side-end">
      <nav class="nav" aria-label={common.account}>
        {otherSide && (
          <Link to={otherSide.path}>
            <Icon name="partners" />
            {otherSide.text}
          </Link>
        )}
        <Link to={account} current={isHere ? 'page' : undefined}>
          <Icon name="account" />
          <span class="email" title={me.user.email}>
            {me.user.email}
          </span>
        </Link>
      </nav>
      <Button kind="plain" icon="exit" onClick={signOut}>
        {common.signOut}
      </Button>
    </div>
  );
}

/**
 * The frame while the user and the programs are loading. It has the layout of `Frame`, so that nothing moves when
 * they arrive.
 */
export function LoadingFrame(): JSX.Element {
  return (
    <div class="shell" aria-busy="true">
      <header class="top">
        <Brand home="/" />
      </header>
      <aside class="side" aria-label={messages.sidebar}>
        <Brand home="/" />
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
