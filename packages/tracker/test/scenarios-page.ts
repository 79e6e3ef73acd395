import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CHROMIUM_ONLY } from './engines/chromium-only.ts';
import type { EngineName } from './engines/index.ts';

interface Scenario {
  readonly name: string;
  /** The engines that cannot run the scenario. */
  readonly missing: readonly EngineName[];
  /** Why these engines cannot run the scenario. */
  readonly reason: string | undefined;
}

const ENGINES: Readonly<Record<EngineName, string>> = {
  chromium: 'Chromium',
  firefox: 'Firefox',
  webkit: 'WebKitGTK',
};

const TITLE = /\s*(?<quote>['"`])(?<title>.+?)\k<quote>/.source;
/** The start of a block, and the start of a test. If a test has a table, its title follows the table. */
const BLOCK = new RegExp(`^describe\\(${TITLE}`);
const TEST = new RegExp(`^it\\(${TITLE}`);
const EACH = new RegExp(`^it\\.each\\(.*?\\)\\(${TITLE}`, 's');
const EXCEPT = new RegExp(`^itExcept\\(\\s*'(?<engine>\\w+)',\\s*'(?<reason>[^']+)',?\\s*\\)\\(${TITLE}`);
const START = /^ *(?=(?:describe|it|it\.each|itExcept)\()/gm;

/** Reads the scenarios in a test file. @throws if a test has an unknown form */
function readScenarios(path: string): Scenario[] {
  const source = readFileSync(path, 'utf8');
  const chromiumOnly = CHROMIUM_ONLY[basename(path, '.e2e.test.ts')];
  let block = '';
  return [...source.matchAll(START)].flatMap(({ index, 0: indent }): Scenario[] => {
    const rest = source.slice(index + indent.length);
    const described = BLOCK.exec(rest)?.groups?.['title'];
    if (described !== undefined) {
      block = `${described} `;
      return [];
    }
    const groups = (TEST.exec(rest) ?? EACH.exec(rest) ?? EXCEPT.exec(rest))?.groups;
    if (groups === undefined) throw new Error(`Unknown form of test in ${path}: ${rest.slice(0, 80)}`);
    const { title = '', engine, reason } = groups;
    const name = `${indent === '' ? '' : block}${title.replaceAll(/%[ijs]|\$\w+/g, '…')}`;
    if (chromiumOnly !== undefined) return [{ name, missing: ['firefox', 'webkit'], reason: chromiumOnly }];
    return [{ name, missing: engine === undefined ? [] : [engine as EngineName], reason }];
  });
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/[<*]/g, '\\$&');

function table(scenarios: readonly Scenario[]): string {
  const rows = scenarios.map(({ name, missing }) => {
    const marks = Object.keys(ENGINES).map((engine) => ((missing as string[]).includes(engine) ? '–' : '✓'));
    return `| ${[cell(name), ...marks].join(' | ')} |`;
  });
  return [`| scenario | ${Object.values(ENGINES).join(' | ')} |`, '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

/** Returns the content of docs/browsers.md. */
export function scenariosPage(): string {
  const files = globSync('*.e2e.test.ts', { cwd: import.meta.dirname }).sort();
  const sections = files.map((file) => ({
    title: basename(file, '.e2e.test.ts').replaceAll('-', ' '),
    scenarios: readScenarios(join(import.meta.dirname, file)),
  }));
  const all = sections.flatMap(({ scenarios }) => scenarios);
  const counts = Object.entries(ENGINES).map(([engine, name]) => {
    const count = all.filter(({ missing }) => !(missing as string[]).includes(engine)).length;
    return `${name} ${count}`;
  });
  const exceptions = all
    .filter(({ missing }) => missing.length > 0)
    .map(({ name, missing, reason }) => {
      const engines = missing.map((engine) => ENGINES[engine]).join(' and ');
      return `| ${cell(name)} | ${engines} | ${reason} |`;
    });
  return `# Browsers

Tests run the tracker in Chromium, Firefox ESR, and WebKitGTK, from Debian's packages \`chromium\`, \`firefox-esr\`,
and \`webkit2gtk-driver\`. WebKitGTK has the engine of Safari, but not Safari's limits on cookies.

Each row below is a test, and ✓ means that it runs in that engine. Of ${all.length} tests, each engine runs:
${counts.join(', ')}. Some tests have several cases.

\`npm test\` runs all tests in Chromium, and the [journeys](#journeys) in all three engines. \`npm run test:long\` runs
all tests with ✓ in all three engines. To use only one engine, name its project: \`e2e\` (Chromium), \`firefox\`, or
\`webkit\`.

\`\`\`sh
npm run test:long -- --project=webkit packages/tracker
\`\`\`

This page is generated from the tests. After you have changed them, run \`vitest run scenarios -u\`.

## Tests that an engine does not run

| scenario | not in | reason |
| --- | --- | --- |
${exceptions.join('\n')}

## Where engines differ

- Chromium and Firefox limit the lifetime of a cookie to 400 days. WebKitGTK has no limit.
- WebKitGTK accepts no cookie of a host whose name is a public suffix, such as \`co.uk\`.
- Only Chromium reports the lines that the browser itself writes to the console, so only Chromium's tests check
  them.

${sections.map(({ title, scenarios }) => `## ${title[0]?.toUpperCase()}${title.slice(1)}\n\n${table(scenarios)}`).join('\n\n')}
`;
}
