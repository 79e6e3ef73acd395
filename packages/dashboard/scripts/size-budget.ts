import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';
import { filesOf } from './loaded-files.ts';

/** Limits in bytes, after gzip. `furtherPage` is the limit for what another page loads after the overview. */
const LIMITS = { signIn: 20_000, overview: 40_000, furtherPage: 12_000, css: 8_000 };

type Bundle = Rolldown.OutputBundle;

/**
 * Prints how much each page loads, and fails the build if a page exceeds its budget.
 * @param report the file to write the sizes to, for the benchmarks
 */
export function sizeBudget(report: string): Plugin {
  let sizes: readonly Measured[] = [];
  return {
    name: 'affkit-size-budget',
    // Runs after Vite has added the lists of files to preload.
    enforce: 'post',
    generateBundle(_options, bundle) {
      sizes = measure(bundle);
      const excess = sizes.filter(({ name, bytes, limit }) => {
        console.log(`${name}: ${bytes} B gzip of ${limit}`);
        return bytes > limit;
      });
      if (excess.length > 0) this.error(`Too large: ${excess.map(({ name }) => name).join(', ')}`);
    },
    writeBundle() {
      writeFileSync(report, `${JSON.stringify(sizes, null, 2)}\n`);
    },
  };
}

interface Measured {
  readonly name: string;
  readonly bytes: number;
  readonly limit: number;
}

function measure(bundle: Bundle): Measured[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const entry = chunks.filter((chunk) => chunk.isEntry);
  const shell = chunks.filter(({ facadeModuleId }) => facadeModuleId?.includes('/app/shell/advertiser.'));
  const signIn = filesOf(entry, chunks);
  const pages = chunks.filter(({ facadeModuleId, isDynamicEntry }) => {
    return isDynamicEntry && facadeModuleId?.includes('/app/pages/');
  });
  const overview = pages.filter(({ facadeModuleId }) => facadeModuleId?.includes('/overview.'));
  const loaded = filesOf([...entry, ...shell, ...overview], chunks);
  const css = Object.values(bundle).filter(({ fileName }) => fileName.endsWith('.css'));
  return [
    { name: 'sign-in', bytes: sizeOf(signIn, bundle), limit: LIMITS.signIn },
    ...pages.map((page): Measured => {
      const files = filesOf([...entry, ...shell, page], chunks);
      const name = basename(page.facadeModuleId ?? page.fileName).replace(/\.tsx$/, '');
      if (name === 'overview') return { name, bytes: sizeOf(files, bundle), limit: LIMITS.overview };
      const own = [...files].filter((file) => !loaded.has(file));
      return { name: `${name}, in addition`, bytes: sizeOf(own, bundle), limit: LIMITS.furtherPage };
    }),
    {
      name: 'styles',
      bytes: sizeOf(
        css.map(({ fileName }) => fileName),
        bundle,
      ),
      limit: LIMITS.css,
    },
  ];
}

function sizeOf(files: Iterable<string>, bundle: Bundle): number {
  let bytes = 0;
  for (const file of files) {
    const output = bundle[file];
    if (output) bytes += gzipSync(output.type === 'chunk' ? output.code : output.source, { level: 9 }).length;
  }
  return bytes;
}
