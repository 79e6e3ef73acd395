import { gzipSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { programVariables } from '../../../scripts/programs.ts';
import { type Figure, type Section, type Target, withRatio } from '../report.ts';
import { runInterleaved } from '../run-interleaved.ts';
import { type LandingSite, SHOP_ORIGIN, startLandingSite } from '../tracker/landing-site.ts';
import { type ScriptTime, scriptTimeOf, type TraceEvent } from '../tracker/script-time.ts';
import { affkitScript, peerScripts, type TrackerScript } from '../tracker/scripts.ts';
import { type Context, scaled } from './context.ts';

const ROUNDS = 15;
const CPU_SLOWDOWN = 4;
const MOST_MS = 40;
const SETTLE_MS = 1_200;
const MOST_BYTES = 3_700;
const TRACE_CATEGORIES = ['devtools.timeline', 'v8', 'v8.execute', 'disabled-by-default-v8.compile'];
/** The user agent of a normal browser, because the trackers ignore bots. */
const VISITOR = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
  ignoreHTTPSErrors: true,
};

const WITHOUT_LINK = "Affkit without a partner's link";

/** Measures the size of the tracker's script, and the CPU time that it takes on a landing page. */
export async function tracker(context: Context): Promise<Section> {
  const affkit = affkitScript();
  const peers = await peerScripts(context.folder, context.peers);
  const rounds = scaled(ROUNDS, context);
  const site = await startLandingSite();
  const browser = await chromium.launch({
    executablePath: programVariables()['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-dev-shm-usage',
      '--disable-blink-features=AutomationControlled',
      `--host-resolver-rules=MAP *:443 127.0.0.1:${site.port}`,
    ],
  });
  try {
    const visit = (script: TrackerScript, query: string, leastEvents: number) => () =>
      measureVisit(browser, site, script, query, leastEvents);
    const resultsOf = await runInterleaved(
      rounds,
      [
        ...[affkit, ...peers].map((script) => ({ name: script.name, run: visit(script, script.query, 1) })),
        { name: WITHOUT_LINK, run: visit(affkit, '', 0) },
      ],
      ({ blocking, total }) => `${blocking.toFixed(1)} ms blocking, ${total.toFixed(1)} ms in total`,
    );
    const names = [...peers.map(({ name }) => name), WITHOUT_LINK];
    const timesOf = (kind: keyof ScriptTime, target: Target): Figure[] => {
      const figureOf = (name: string) => ({
        name: `${name}: ${kind}`,
        unit: 'ms',
        rounds: resultsOf(name).map((time) => time[kind]),
      });
      const ours = { ...figureOf(affkit.name), target };
      return [ours, ...names.map((name) => withRatio(figureOf(name), ours))];
    };
    return {
      id: 'tracker',
      title: 'The tracker',
      text:
        'The size of the script, compressed with gzip, and its script time: the CPU time that the main thread of the page spends on scripts from the navigation until 1.2 seconds after the network is idle and the event has arrived. ' +
        '"Total" is all of it. "Blocking" is the part that can delay the page. The browser gives each callback of `requestIdleCallback` a deadline. Only the time that a callback runs after its deadline counts as blocking. If a callback runs because its timeout has passed, all of its time is blocking. ' +
        "Affkit and Dub record a click on a partner's link; Umami and Plausible record a page view. " +
        `Measured in Chromium, on a CPU slowed down ${CPU_SLOWDOWN} times, in ${rounds} alternating rounds without caches and cookies. ` +
        'Scripts marked as npm come from an npm package. Scripts marked as file were passed with `--peer`.',
      figures: [
        ...compareSizes(affkit, peers),
        ...timesOf('blocking', { most: MOST_MS }),
        ...timesOf('total', { most: MOST_MS }),
      ],
    };
  } finally {
    await browser.close();
    await site.close();
  }
}

function compareSizes(affkit: TrackerScript, peers: readonly TrackerScript[]): Figure[] {
  const figureOf = ({ name, published }: TrackerScript) => ({
    name: `${name}: size`,
    unit: 'bytes',
    rounds: [gzipSync(published, { level: 9 }).length],
  });
  const ours = { ...figureOf(affkit), target: { most: MOST_BYTES } };
  return [ours, ...peers.map((peer) => withRatio(figureOf(peer), ours))];
}

/**
 * Opens the landing page in a new context, which has no caches and cookies.
 * @throws if the tracker sends too few events, because the measured time would then be meaningless
 */
async function measureVisit(
  browser: Browser,
  site: LandingSite,
  script: TrackerScript,
  query: string,
  leastEvents: number,
): Promise<ScriptTime> {
  site.use(script);
  const context = await browser.newContext(VISITOR);
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    await browser.startTracing(page, { categories: TRACE_CATEGORIES });
    await page.goto(`${SHOP_ORIGIN}/${query}`, { waitUntil: 'networkidle' });
    // Trackers may send the event, and then handle its reply, in idle callbacks with timeouts of up to a second.
    for (let polls = 0; site.countEvents() < leastEvents && polls < 30; polls++)
      await page.waitForTimeout(100);
    await page.waitForTimeout(SETTLE_MS);
    const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
      traceEvents: TraceEvent[];
    };
    if (site.countEvents() < leastEvents) throw new Error(`${script.name} has sent nothing`);
    return scriptTimeOf(traceEvents, SHOP_ORIGIN);
  } finally {
    await context.close();
  }
}
