import { accentShade } from '../../domain/accent-color.ts';

const DEFAULT_ACCENT_COLOR = '#0b6b4b';
const LIGHT_PAGE = '#ffffff';
const DARK_PAGE = '#101216';

const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#15181e, #eceef3);
  --soft: light-dark(#566070, #a3abba);
  --line: light-dark(#8a92a0, #6b7383);
  --rule: light-dark(#e3e6eb, #272c36);
  --paper: light-dark(${LIGHT_PAGE}, ${DARK_PAGE});
  --shade: light-dark(#f5f6f8, #181c23);
  --bad: light-dark(#b3261e, #ff9a90);
  --bad-shade: light-dark(#fdecea, #3a1a1c);
}
* { box-sizing: border-box; }
body { margin: 0; border-top: 4px solid var(--accent); color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: break-word; }
main { max-width: 40rem; margin: 0 auto; padding: 2rem 1rem 4rem; }
a { color: inherit; }
h1 { margin: 0 0 .5rem; font-size: 1.75rem; line-height: 1.2; text-wrap: balance; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.2rem; }
p { margin: 0 0 .75rem; }
.logo { display: block; max-width: 12rem; max-height: 4rem; margin: 0 0 1.5rem; }
.offer { font-size: 1.15rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr)); gap: 1rem; margin: 1.5rem 0; padding: 1rem; border-radius: 8px; background: var(--shade); }
.facts dt { color: var(--soft); font-size: .9rem; }
.facts dd { margin: 0; font-weight: 600; }
.terms { max-height: 16rem; padding: 1rem; overflow-y: auto; border: 1px solid var(--rule); border-radius: 8px; font-size: .95rem; }
.terms p:last-child { margin: 0; }
.field { margin: 0 0 1.25rem; }
.field label { display: block; margin: 0 0 .3rem; font-weight: 600; }
.field small { color: var(--soft); font-weight: 400; font-size: .9rem; }
input:not([type=checkbox]), textarea, select { width: 100%; min-height: 44px; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: 8px; color: inherit; background: var(--paper); font: inherit; }
textarea { min-height: 7rem; resize: vertical; }
::placeholder { color: var(--soft); opacity: 1; }
.check { display: flex; gap: .6rem; align-items: flex-start; }
.check input { flex: none; width: 20px; height: 20px; margin: 2px 0 0; accent-color: var(--accent); }
.check input:not(:checked) { border: 1px solid var(--line); border-radius: 3px; appearance: none; background: var(--paper); }
.check label { margin: 0; font-weight: 400; }
button { min-height: 48px; padding: .5rem 1.75rem; border: 0; border-radius: 8px; color: var(--on-accent); background: var(--accent); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
.fault { margin: 0 0 1.5rem; padding: 1rem; border-left: 4px solid var(--bad); border-radius: 4px; background: var(--bad-shade); }
.away { position: absolute; left: -99rem; }
@media (max-width: 30rem) { button { width: 100%; } }
`;

/**
 * Returns the style sheet of a program's page.
 * @param accentColor `#rrggbb`, or null for the default color
 */
export function pageStyle(accentColor: string | null): string {
  const color = accentColor ?? DEFAULT_ACCENT_COLOR;
  const light = accentShade(color, LIGHT_PAGE);
  const dark = accentShade(color, DARK_PAGE);
  return `${PAGE_STYLE}:root { --accent: light-dark(${light.fill}, ${dark.fill}); --on-accent: light-dark(${light.text}, ${dark.text}); }\n`;
}
