/** The CSS of the documentation page. The CSS is inlined, so that the page is a single file. */
export const DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1d2321, #e4e9e6);
  --soft: light-dark(#5a6661, #9aa8a1);
  --line: light-dark(#dde3e0, #333b37);
  --paper: light-dark(#fff, #151917);
  --shade: light-dark(#f4f7f5, #1d2320);
  --accent: light-dark(#0b6b4b, #6fd3aa);
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
[hidden] { display: none !important; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.55 system-ui, sans-serif; }
a { color: var(--accent); }
code, pre { font: 13.5px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { overflow-wrap: break-word; }
pre { margin: .5rem 0; padding: .75rem 1rem; overflow-x: auto; background: var(--shade); border-radius: 6px; }
.page { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem; border-right: 1px solid var(--line); }
nav h2 { margin: 1.25rem 0 .25rem; font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .12rem 0; font-size: .9rem; text-decoration: none; color: var(--ink); }
nav a:hover { color: var(--accent); text-decoration: underline; }
main { padding: 1.5rem 2.5rem 6rem; min-width: 0; }
h1 { margin: 0 0 .25rem; }
main h2 { margin: 3rem 0 .25rem; padding-top: 1rem; border-top: 2px solid var(--ink); }
.operation { margin: 0; padding: .7rem 0; border-bottom: 1px solid var(--line); }
.operation[open] { padding-bottom: 1.5rem; }
.operation > summary { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .2rem 1rem; align-items: baseline; list-style: none; }
.operation > summary::-webkit-details-marker { display: none; }
.operation > summary:hover h3 { color: var(--accent); }
.operation h3 { margin: 0; font-size: 1.05rem; font-weight: 600; }
.operation h3::before { content: "▸"; display: inline-block; width: 1.1rem; color: var(--soft); }
.operation[open] h3::before { content: "▾"; }
.tools { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .5rem; align-items: center; }
.tools input, .tools button { padding: .4rem .6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--shade); color: var(--ink); font: inherit; font-size: .9rem; }
.tools input { grid-column: 1 / -1; width: 100%; }
.tools button { justify-self: start; cursor: pointer; }
.tools span { font-size: .9rem; color: var(--soft); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.menu > summary { display: none; }
.operation h4 { margin: 1.1rem 0 .3rem; font-size: .8rem; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); }
p { margin: .4rem 0; max-width: 46rem; }
.route { display: flex; gap: .6rem; align-items: baseline; }
.route code:last-child { overflow-wrap: anywhere; }
.method { flex: none; min-width: 4.2rem; padding: .05rem .4rem; border: 1px solid currentColor; border-radius: 4px; text-align: center; font-weight: 600; color: var(--accent); }
.put { color: light-dark(#8a5a00, #e6b857); }
.delete { color: light-dark(#a6271f, #ff9a90); }
.get { color: light-dark(#1f5d99, #8ec3f5); }
.soft { color: var(--soft); }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: 600; color: var(--soft); }
td { padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; }
td wbr { display: none; }
.required { font-size: .8rem; color: light-dark(#a6271f, #ff9a90); }
details { margin: .35rem 0; }
summary { cursor: pointer; }
:target > summary > h3 { color: var(--accent); }
@media (max-width: 56rem) {
  .page { display: block; }
  nav { position: static; max-height: none; padding-bottom: 0; border: 0; }
  nav ul { columns: 14rem; }
  .menu > summary { display: list-item; padding: .5rem 0; font-weight: 600; }
  .operation > summary { grid-template-columns: minmax(0, 1fr); }
  main { padding: 1rem; }
}
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; }
  tr { padding: .4rem 0; border-bottom: 1px solid var(--line); }
  tr:has(th) { display: none; }
  td { padding: 0; border: 0; }
  td:first-child { white-space: normal; }
  td wbr { display: inline; }
  td:not(:last-child) { display: inline-block; max-width: 100%; margin-right: .6rem; }
}
@media print { nav { display: none; } .page { display: block; } }
`;
