import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import terserPlugin from '@rollup/plugin-terser';
import { type InputPluginOption, rollup } from 'rollup';

// The types of the plugin describe a CommonJS module, whose property `default` is the plugin. Node loads the ES module,
// whose default export already is the plugin.
const terser = terserPlugin as unknown as typeof terserPlugin.default;
const run = promisify(execFile);
const AFFKIT = new URL('../../../packages/tracker/dist/affkit.js', import.meta.url);
const UMAMI = 'umami@2.10.0';
const PLAUSIBLE = '@plausible-analytics/tracker@0.4.6';

/** The host of the trackers. It is not on the same site as the shop. */
export const TRACK_ORIGIN = 'https://track.test';

/** A tracker on the measured page. */
export interface TrackerScript {
  readonly name: string;
  /** The published or built file. Its size is measured. */
  readonly published: string;
  /** The script that the page loads. */
  readonly code: string;
  /** Attributes of the script tag. */
  readonly attributes: string;
  /** Query of the landing page. */
  readonly query: string;
  /** JSON reply of the tracker's server. */
  readonly answer: object;
}

const PARTNER_QUERY = '?aff=ann';

export function affkitScript(): TrackerScript {
  const code = readFileSync(AFFKIT, 'utf8');
  const answer = {
    success: true,
    click_id: 'clk_0123456789abcdef',
    partner_code: 'ann',
    attributed_partner_code: 'ann',
    attribution_model: 'last_click',
    cookie_window_days: 30,
  };
  return { name: 'Affkit', published: code, code, attributes: '', query: PARTNER_QUERY, answer };
}

/**
 * The other trackers to compare with, and their landing pages. Umami and Plausible record a page view, Dub
 * records a click.
 */
const PEERS = {
  Umami: {
    fromPackage: umamiScript,
    attributes: 'data-website-id="0f3c2a4e-5b6d-4c7e-8f90-a1b2c3d4e5f6"',
    query: PARTNER_QUERY,
    answer: { cache: 'token', sessionId: 'session', visitId: 'visit' },
  },
  Plausible: {
    fromPackage: plausibleScript,
    attributes: '',
    query: PARTNER_QUERY,
    answer: {},
  },
  Dub: {
    fromPackage: null,
    attributes: `data-api-host="${TRACK_ORIGIN}" data-domains='{"refer":"go.shop.test"}'`,
    query: '?via=ann',
    answer: { clickId: '0123456789abcdef' },
  },
} as const;

/** Returns why the option is not valid, or null. */
export function findPeerProblem(option: string): string | null {
  const [, peer = ''] = /^(\w+) [^=]+=./.exec(option) ?? [];
  return Object.hasOwn(PEERS, peer)
    ? null
    : `--peer must have the form "<name> <version>=<file>", such as "Dub 1.2=script.js", and the name must be one of ${Object.keys(PEERS).join(', ')}, got "${option}".`;
}

/**
 * Returns the scripts of the other trackers, from npm and from files.
 * @param folder receives the npm packages
 * @param options files by name, such as `Dub 1.2=script.js`
 */
export async function peerScripts(folder: string, options: readonly string[]): Promise<TrackerScript[]> {
  const scripts: TrackerScript[] = [];
  for (const [peer, { fromPackage, ...page }] of Object.entries(PEERS)) {
    if (fromPackage) scripts.push({ ...(await fromPackage(folder)), ...page });
    for (const option of options.filter((candidate) => candidate.startsWith(`${peer} `))) {
      const [name, path = ''] = option.split(/=(.*)/s);
      const code = readFileSync(path, 'utf8');
      scripts.push({ name: `${name} (file)`, published: code, code, ...page });
    }
  }
  return scripts;
}

type Loaded = Pick<TrackerScript, 'name' | 'published' | 'code'>;

/** Builds the tracker as the package's own `build-tracker` does. */
async function umamiScript(folder: string): Promise<Loaded> {
  const unpacked = await download(UMAMI, folder);
  const code = await bundle(join(unpacked, 'src/tracker/index.js'), [
    terser({ compress: { evaluate: false } }),
  ]);
  return { name: `Umami ${versionOf(UMAMI)} (npm)`, published: code, code };
}

/** Bundles the minified module, as a site that uses the package does. */
async function plausibleScript(folder: string): Promise<Loaded> {
  const file = join(await download(PLAUSIBLE, folder), 'plausible.js');
  const entry = `${file}.entry.js`;
  const options = JSON.stringify({ domain: 'shop.test', endpoint: `${TRACK_ORIGIN}/api/event` });
  writeFileSync(entry, `import { init } from ${JSON.stringify(file)};\ninit(${options});\n`);
  return {
    name: `Plausible ${versionOf(PLAUSIBLE)} (npm)`,
    published: readFileSync(file, 'utf8'),
    code: await bundle(entry, []),
  };
}

const versionOf = (specifier: string) => specifier.replace(/.*@/, '');

/** Downloads a package without its dependencies. @returns the folder with its files */
async function download(specifier: string, folder: string): Promise<string> {
  const cwd = mkdtempSync(join(folder, 'peer-'));
  const { stdout } = await run('npm', ['pack', '--json', specifier], { cwd });
  const [{ filename } = { filename: '' }] = JSON.parse(stdout) as { filename: string }[];
  await run('tar', ['-xzf', filename], { cwd });
  return join(cwd, 'package');
}

async function bundle(input: string, plugins: InputPluginOption): Promise<string> {
  const bundled = await rollup({ input, plugins });
  const { output } = await bundled.generate({ format: 'iife' });
  await bundled.close();
  return output[0].code;
}
