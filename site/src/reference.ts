import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAffkit } from '@affkit/core';
import { fetchAdapter } from '@affkit/core/fetch';
import { sqliteEngine } from '@affkit/core/sqlite';
import type { OpenApiDocument } from '../../packages/core/src/http/openapi/document.ts';
import { describeRoutes } from '../../packages/server/src/route-descriptions.ts';
import { prepareTracker } from '../../packages/server/src/tracker-script.ts';
import { describedOperations, renderOperation } from './operation.ts';
import { ROOT } from './pages.ts';

const FOLDER = join(ROOT, 'site', 'reference');

/** The description of the API that the server of the workspace returns at `/api/openapi.json`. */
export async function readOpenApi(): Promise<OpenApiDocument> {
  // The document does not depend on the code of the tracker, so no build is needed.
  const tracker = prepareTracker({ script: '', linker: '' });
  const affkit = createAffkit({
    engine: sqliteEngine({ path: ':memory:' }),
    secret: 'only-for-the-documentation-of-the-api',
    otherRoutes: describeRoutes({ tracker, hasDashboard: true }),
  });
  try {
    const reply = await fetchAdapter(affkit)(new Request('http://localhost/api/openapi.json'));
    return (await reply.json()) as OpenApiDocument;
  } finally {
    await affkit.close();
  }
}

/** The pages of the reference by file name: an overview, and a page for each group of routes. */
export function renderReference(document: OpenApiDocument): ReadonlyMap<string, string> {
  const groups = document.tags.map(({ name, description }) => ({
    name,
    description,
    file: `${slugOf(name)}.md`,
    operations: describedOperations(document).filter(({ operation }) => operation.tags.includes(name)),
  }));
  const pages = groups.map(({ name, description, file, operations }) => {
    const entries = operations.map((entry) => renderOperation(entry, document));
    return [file, `---\n${FRONTMATTER}---\n\n# ${name}\n\n${description}\n\n${entries.join('\n')}`] as const;
  });
  const rows = groups.map(({ name, description, file, operations }) => {
    const routes = operations.length === 1 ? '1 route' : `${operations.length} routes`;
    return `| [${name}](${file}) | ${description} | ${routes} |`;
  });
  const overview = `---\n${FRONTMATTER}---\n\n# API reference\n\n${INTRODUCTION}\n\n| Group | What it contains | |\n| --- | --- | --- |\n${rows.join('\n')}\n\n## Credentials\n\n${renderCredentials(document)}`;
  return new Map([['index.md', overview], ...pages]);
}

const FRONTMATTER = 'aside: false\nlastUpdated: false\neditLink: false\npageClass: reference\n';

const INTRODUCTION = `Every route with its fields, replies, and errors. This reference is generated from the schemas that validate the
requests. Your own server has it too, at \`/docs\`, and as OpenAPI 3.1 at \`/api/openapi.json\`. [API](../../docs/api.md)
explains what all routes have in common, and begins with a [quick start](../../docs/api.md#quick-start).`;

function renderCredentials({ components }: OpenApiDocument): string {
  const rows = Object.entries(components.securitySchemes).map(
    ([name, scheme]) => `| \`${name}\` | ${(scheme as { description: string }).description} |`,
  );
  return `Send a credential as \`Authorization: Bearer …\`. [Permissions](../../docs/permissions.md) lists what each of them may do.\n\n| Credential | What it is |\n| --- | --- |\n${rows.join('\n')}\n`;
}

/** The sidebar of the reference: groups with their routes. */
export function referenceSidebar(document: OpenApiDocument) {
  const entries = describedOperations(document);
  return [
    { text: 'Overview', link: '/reference/' },
    ...document.tags.map(({ name }) => ({
      text: name,
      collapsed: true,
      link: `/reference/${slugOf(name)}`,
      items: entries
        .filter(({ operation }) => operation.tags.includes(name))
        .map(({ operation }) => ({
          text: operation.summary.replaceAll('`', ''),
          link: `/reference/${slugOf(name)}#${operation.operationId}`,
        })),
    })),
  ];
}

function slugOf(tag: string): string {
  return tag.toLowerCase().replaceAll(' ', '-');
}

/** Writes the pages as files, because VitePress's search covers only files. Git ignores their folder. */
export function writeReference(document: OpenApiDocument): void {
  const pages = renderReference(document);
  mkdirSync(FOLDER, { recursive: true });
  for (const file of readdirSync(FOLDER)) if (!pages.has(file)) rmSync(join(FOLDER, file));
  for (const [file, text] of pages) {
    const path = join(FOLDER, file);
    // Skip unchanged pages, because the development server reloads a page when its file is written.
    if (readIfExists(path) !== text) writeFileSync(path, text);
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
