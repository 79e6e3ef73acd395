import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefaultTheme, defineConfig } from 'vitepress';
import { findLinkProblems } from './built-links.ts';
import { addContentPolicy } from './content-policy.ts';
import { renderFlowchart } from './flowchart.ts';
import { linkPlugin } from './links.ts';
import { listOtherMarkdown, listPages, ROOT, sidebar } from './pages.ts';
import { readOpenApi, referenceSidebar, writeReference } from './reference.ts';

const openApi = await readOpenApi();
writeReference(openApi);
const pages = listPages();

/** The workflow on GitHub sets both variables. By default, the site is at the root of its host and names no repository. */
const { GITHUB_REPOSITORY: repository, DOCS_BASE: base = '/' } = process.env;
const repositoryUrl = repository === undefined ? undefined : `https://github.com/${repository}`;
const icon = readFileSync(join(ROOT, 'packages/dashboard/app/icon.svg'), 'utf8');
const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;

type Render = NonNullable<DefaultTheme.LocalSearchOptions['_render']>;

/** The search index needs no syntax highlighting, which would take most of the time. */
const renderForSearch: Render = (text, env, md) => {
  const { fence } = md.renderer.rules;
  md.renderer.rules.fence = (tokens, index) => md.utils.escapeHtml(tokens[index]?.content ?? '');
  try {
    return env.frontmatter?.['search'] === false ? '' : md.render(text, env);
  } finally {
    if (fence) md.renderer.rules.fence = fence;
  }
};

export const config = defineConfig({
  title: 'Affkit',
  description: 'Affiliate tracking that you embed in your app or host yourself.',
  base,
  srcDir: '..',
  srcExclude: listOtherMarkdown(pages),
  rewrites: Object.fromEntries(pages),
  cleanUrls: true,
  head: [
    ['link', { rel: 'icon', href: iconUrl }],
    ['meta', { name: 'theme-color', content: '#4f46e5' }],
  ],
  markdown: {
    languageAlias: { caddyfile: 'nginx' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark' },
    // Generates the same fragments as GitHub, so that a link works on both sites.
    anchor: {
      slugify: (text) =>
        text
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N} _-]/gu, '')
          .replaceAll(' ', '-'),
    },
    config(md) {
      linkPlugin(md, { pages, repositoryUrl });
      const { fence } = md.renderer.rules;
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const token = tokens[index];
        if (token?.info.trim() === 'mermaid') return renderFlowchart(token.content);
        return fence?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  themeConfig: {
    logo: { src: iconUrl, alt: '' },
    nav: [
      { text: 'Guide', link: '/introduction', activeMatch: '^/(introduction|concepts|guides/)' },
      { text: 'Frameworks', link: '/guides/frameworks' },
      { text: 'API', link: '/reference/', activeMatch: '^/reference/' },
      { text: 'Self-hosting', link: '/guides/hosting' },
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: { '/': sidebar(pages), '/reference/': referenceSidebar(openApi) },
    outline: { level: [2, 3] },
    search: { provider: 'local', options: { _render: renderForSearch } },
    socialLinks: repositoryUrl === undefined ? [] : [{ icon: 'github', link: repositoryUrl }],
    ...(repositoryUrl !== undefined && {
      editLink: { pattern: `${repositoryUrl}/edit/main/:path`, text: 'Edit this page' },
    }),
    footer: { message: 'MIT license. This site sets no cookies and loads nothing from other servers.' },
  },
  transformHtml: addContentPolicy,
  buildEnd({ outDir }) {
    const problems = findLinkProblems(outDir, base);
    if (problems.length > 0) throw new Error(`Links without a target:\n${problems.join('\n')}`);
  },
});
