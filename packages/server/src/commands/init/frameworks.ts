import {
  NEXT_LAYOUT,
  NODE_CLIENT,
  NODE_CLIENT_COMMONJS,
  nextTracking,
  nodeEnvironment,
  type SnippetTarget,
  scriptTag,
  trackerModule,
  wordpressHook,
} from '@affkit/dashboard/snippets';
import type { Edit } from './edit.ts';
import type { Project } from './project.ts';

export const FRAMEWORKS = [
  'next',
  'nuxt',
  'sveltekit',
  'react-router',
  'adonisjs',
  'fastify',
  'express',
  'react',
  'html',
  'wordpress',
  'shopify',
] as const;

export type Framework = (typeof FRAMEWORKS)[number];

/**
 * The dependency that identifies each framework. The first match counts, so Next.js comes before React, which a
 * Next.js app also has.
 */
const DEPENDENCIES: readonly (readonly [string, Framework])[] = [
  ['next', 'next'],
  ['nuxt', 'nuxt'],
  ['@sveltejs/kit', 'sveltekit'],
  ['@react-router/dev', 'react-router'],
  ['@adonisjs/core', 'adonisjs'],
  ['fastify', 'fastify'],
  ['express', 'express'],
  ['react', 'react'],
];

const HTML_FILES = ['index.html', 'public/index.html'] as const;

/** @returns null if the folder contains nothing that identifies a framework */
export function detectFramework(project: Project): Framework | null {
  const found = DEPENDENCIES.find(([dependency]) => project.dependencies.has(dependency));
  if (found) return found[1];
  if (project.has('layout/theme.liquid')) return 'shopify';
  const isTheme =
    project.has('functions.php') && /^[ \t]*Theme Name:/im.test(project.read('style.css') ?? '');
  if (isTheme) return 'wordpress';
  return project.findFirst(...HTML_FILES) === null ? null : 'html';
}

/** What `affkit init` does to an app, and what is left to do by hand. */
export interface Plan {
  readonly edits: readonly Edit[];
  readonly packages: readonly string[];
  readonly steps: readonly string[];
}

const ADD_TAG = (tag: string) => `Add the tracker to the <head> of your pages: ${tag}`;

/** Plans how to add the tracker to the pages of the app, and the SDK to its backend. */
export function planFramework(framework: Framework, project: Project, target: SnippetTarget): Plan {
  switch (framework) {
    case 'next':
      return merge(
        planNext(project, target),
        planBackend(project, target, nextClientPath(project), '.env.local'),
      );
    case 'nuxt': {
      const base = project.has('app') ? 'app/' : '';
      const code = `${trackerModule(target)}\n\nexport default defineNuxtPlugin(() => ({ provide: { tracker } }));\n`;
      return merge(
        {
          edits: [
            { kind: 'create', path: `${base}plugins/affkit.client.${extension(project)}`, content: code },
          ],
          packages: ['@affkit/tracker'],
          steps: [],
        },
        planBackend(project, target, 'server/utils/affkit'),
      );
    }
    case 'sveltekit':
      return merge(
        planTag(project, target, 'src/app.html'),
        planBackend(project, target, 'src/lib/server/affkit'),
      );
    case 'react-router':
      return merge(
        planTag(project, target, project.findFirst('app/root.tsx', 'app/root.jsx')),
        planBackend(project, target, 'app/lib/affkit'),
      );
    case 'adonisjs':
      return merge(planTag(project, target, null), planBackend(project, target, 'app/services/affkit'));
    case 'fastify':
    case 'express':
      return merge(
        planTag(project, target, project.findFirst(...HTML_FILES)),
        planBackend(project, target, project.has('src') ? 'src/affkit' : 'affkit'),
      );
    case 'react':
    case 'html':
      return planTag(project, target, project.findFirst(...HTML_FILES));
    case 'shopify':
      return planTag(project, target, 'layout/theme.liquid');
    case 'wordpress':
      return {
        edits: [
          { kind: 'append', path: 'functions.php', content: wordpressHook(target), marker: '/js/affkit.js' },
        ],
        packages: [],
        steps: [],
      };
  }
}

function planTag(project: Project, target: SnippetTarget, path: string | null): Plan {
  const tag = scriptTag(target);
  return path !== null && project.has(path)
    ? {
        edits: [{ kind: 'insert', path, before: '</head>', content: tag, marker: '/js/affkit.js' }],
        packages: [],
        steps: [],
      }
    : { edits: [], packages: [], steps: [ADD_TAG(tag)] };
}

function planNext(project: Project, target: SnippetTarget): Plan {
  const folders = ['app', 'src/app'];
  const layout = project.findFirst(
    ...folders.flatMap((folder) => ['tsx', 'jsx', 'js'].map((end) => `${folder}/layout.${end}`)),
  );
  if (layout === null) return planTag(project, target, null);
  const folder = layout.slice(0, layout.lastIndexOf('/'));
  return {
    edits: [
      {
        kind: 'create',
        path: `${folder}/tracking.${project.isTypeScript ? 'tsx' : 'jsx'}`,
        content: `${nextTracking(target)}\n`,
      },
      {
        kind: 'insert',
        path: layout,
        before: '</body>',
        content: NEXT_LAYOUT.element,
        marker: NEXT_LAYOUT.importLine,
        firstLine: NEXT_LAYOUT.importLine,
      },
    ],
    packages: ['@affkit/tracker'],
    steps: [],
  };
}

function nextClientPath(project: Project): string {
  return project.has('src/app') ? 'src/lib/affkit' : 'lib/affkit';
}

/** @param path the path of the new file with the client, without the extension */
function planBackend(project: Project, target: SnippetTarget, path: string, envFile = '.env'): Plan {
  const isCommonJs =
    project.isCommonJs &&
    !project.isTypeScript &&
    (project.dependencies.has('express') || project.dependencies.has('fastify'));
  return {
    edits: [
      {
        kind: 'create',
        path: `${path}.${extension(project)}`,
        content: `${isCommonJs ? NODE_CLIENT_COMMONJS : NODE_CLIENT}\n`,
      },
      { kind: 'variables', path: envFile, content: nodeEnvironment(target, '') },
    ],
    packages: ['@affkit/node'],
    steps: [
      `Set AFFKIT_TOKEN in ${envFile}. The setup page of the dashboard creates the token. Do not commit the file.`,
      `Report sign-ups, sales, and refunds with the client in ${path}.${extension(project)}. The setup page has the calls.`,
    ],
  };
}

function extension(project: Project): string {
  return project.isTypeScript ? 'ts' : 'js';
}

function merge(...plans: readonly Plan[]): Plan {
  return {
    edits: plans.flatMap(({ edits }) => edits),
    packages: plans.flatMap(({ packages }) => packages),
    steps: plans.flatMap(({ steps }) => steps),
  };
}
