import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { filesOf } from './loaded-files.ts';

/** Limits in bytes, after gzip. `furtherPage` limits the files that a page loads in addition to the overview. */
const LIMITS = { signIn: 20_000, overview: 40_000, furtherPage: 12_000, css: 8_000 };

type Bundle = Rolldown.OutputBundle;

/**
 * Prints how much each page loads, and fails the build if a page exceeds its budget.
 * @param report the file to write the sizes to, for the benchmarks
 */
export function sizeBudget(report: string): Plugin {
  return {
    name: 'affkit-size-budget',
    // Vite itself still changes the files in its last `generateBundle` hook, so measure them later.
    writeBundle(_options, bundle) {
      const sizes = measure(bundle);
      const excess = sizes.filter(({ name, bytes, limit }) => {
        console.log(`${name}: ${bytes} B after gzip (limit: ${limit} B)`);
        return bytes > limit;
      });
      writeFileSync(report, `${JSON.stringify(sizes, null, 2)}\n`);
      if (excess.length > 0) this.error(`Too large: ${excess.map(({ name }) => name).join(', ')}`);
    },
  };
}

interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly limit: number;
}

const SIGN_IN = '/app/pages/sign-in/sign-in.';

/** The app of each role: the module of its frame, and the folder of its pages. */
const ROLES = [
  { prefix: 'page ', shell: '/app/shell/advertiser.', pages: '/app/pages/' },
  { prefix: 'partner portal page ', shell: '/app/portal/portal.', pages: '/app/portal/' },
] as const;

function measure(bundle: Bundle): Measured[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const entry = chunks.filter((chunk) => chunk.isEntry);
  const css = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.css'));
  const signIn = chunks.filter(({ facadeModuleId }) => facadeModuleId?.includes(SIGN_IN));
  return [
    {
      name: 'page "sign-in"',
      bytes: sizeOf(filesOf([...entry, ...signIn], chunks), bundle),
      limit: LIMITS.signIn,
    },
    ...ROLES.flatMap((role) => measureRole(role, { entry, chunks, bundle })),
    {
      name: 'the styles',
      bytes: sizeOf(
        css.map(({ fileName }) => fileName),
        bundle,
      ),
      limit: LIMITS.css,
    },
  ];
}

type Chunks = readonly Rolldown.OutputChunk[];

function measureRole(
  { prefix, shell: shellModule, pages: folder }: (typeof ROLES)[number],
  { entry, chunks, bundle }: { readonly entry: Chunks; readonly chunks: Chunks; readonly bundle: Bundle },
): Measured[] {
  const shell = chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.includes(shellModule)));
  const pages = chunks.filter(
    ({ facadeModuleId, isDynamicEntry }) =>
      isDynamicEntry &&
      facadeModuleId?.includes(folder) &&
      ![shellModule, SIGN_IN].some((module) => facadeModuleId.includes(module)),
  );
  const overview = pages.filter(({ facadeModuleId }) => facadeModuleId?.includes('/overview.'));
  const loaded = filesOf([...entry, ...shell, ...overview], chunks);
  return pages.map((page): Measured => {
    const files = filesOf([...entry, ...shell, page], chunks);
    const name = `${prefix}"${basename(page.facadeModuleId ?? page.fileName, '.tsx')}"`;
    if (overview.includes(page)) return { name, bytes: sizeOf(files, bundle), limit: LIMITS.overview };
    const own = [...files].filter((file) => !loaded.has(file));
    return {
      name: `${name} (in addition to the overview)`,
      bytes: sizeOf(own, bundle),
      limit: LIMITS.furtherPage,
    };
  });
}

function sizeOf(files: Iterable<string>, bundle: Bundle): number {
  let bytes = 0;
  for (const file of files) {
    const output = bundle[file];
    if (output) bytes += gzipSync(output.type === 'chunk' ? output.code : output.source, { level: 9 }).length;
  }
  return bytes;
}
