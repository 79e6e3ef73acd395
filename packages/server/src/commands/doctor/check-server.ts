import { clientDescription } from '../../describe-client.ts';
import type { TrackerScript } from '../../tracker-script.ts';
import { fetchText, NoResponse, parseObject } from './fetch-text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { judgeProxies, PROBE_ADDRESS } from './judge-proxies.ts';

/** Smaller differences are not reported, because the `Date` header has whole seconds and the request takes time. */
const MAX_DATE_OFFSET_MS = 5_000;

export interface ServerToCheck {
  /** The URL under which browsers reach the server, without a trailing slash. */
  readonly publicUrl: string;
  readonly metricsToken: string | undefined;
  readonly tracker: Pick<TrackerScript, 'documents' | 'endpoints'>;
  /** The path of the tracker script that the tags on your pages use. */
  readonly scriptPath: string;
  /** The origin of a page that uses the tracker. */
  readonly pageOrigin: string;
}

/** Checks the server as a browser reaches it, through all proxies. */
export async function checkServer(server: ServerToCheck): Promise<Finding[]> {
  const check = 'server.reachable';
  const { publicUrl } = server;
  try {
    const { status, headers, text } = await fetchText(`${publicUrl}/healthz`);
    if (status !== 200 || parseObject(text)['status'] !== 'ok') {
      const to = headers.get('location');
      return [
        problem(
          check,
          `The response of ${publicUrl}/healthz (status ${status}${to === null ? '' : `, redirect to ${to}`}) does not come from an Affkit server.`,
          'Set PUBLIC_URL to the URL of the server, and let your proxy pass all paths below it to the server.',
        ),
      ];
    }
    return [
      ok(check, `${publicUrl} is reachable.`),
      ...checkDate(headers),
      await checkReadiness(publicUrl),
      await checkApiCache(publicUrl),
      await checkScript(server),
      await checkCors(server),
      ...(await checkProxies(server)),
    ];
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return [
      problem(
        check,
        `${publicUrl} cannot be reached from here: ${error.message}.`,
        'Start the server, set PUBLIC_URL to the URL that browsers use, and check DNS, firewall and proxy.',
      ),
    ];
  }
}

function checkDate(headers: Headers): Finding[] {
  const check = 'server.clock';
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date)) return [];
  const offset = date - Date.now();
  if (Math.abs(offset) <= MAX_DATE_OFFSET_MS)
    return [ok(check, 'The clock of the server matches this machine.')];
  const direction = offset > 0 ? 'ahead of' : 'behind';
  return [
    problem(
      check,
      `The clock of the server is ${Math.round(Math.abs(offset) / 1000)} s ${direction} the clock of this machine.`,
      'Synchronize both clocks with NTP. If a proxy caches /healthz, disable its cache for the server.',
    ),
  ];
}

async function checkReadiness(publicUrl: string): Promise<Finding> {
  const check = 'server.ready';
  const { status } = await fetchText(`${publicUrl}/readyz`);
  if (status === 200) return ok(check, 'The server can read and write its database.');
  return problem(
    check,
    `/readyz answers ${status}: the server runs, but cannot use its database.`,
    'Read the log of the server. It contains the reason for each 503.',
  );
}

/** The response headers in which caches report a hit. */
const CACHE_HEADERS = ['x-cache', 'x-cache-status', 'x-proxy-cache', 'cf-cache-status', 'cache-status'];

/** Returns the header that shows that a cache has answered, or null. */
function cacheHeaderOf(headers: Headers): string | null {
  const age = headers.get('age');
  if (age !== null && Number(age) > 0) return `Age: ${age}`;
  const name = CACHE_HEADERS.find((one) => /\bhit\b/i.test(headers.get(one) ?? ''));
  return name === undefined ? null : `${name}: ${headers.get(name)}`;
}

/** Finds a cache that keeps API replies, although they have `Cache-Control: no-store`. */
async function checkApiCache(publicUrl: string): Promise<Finding> {
  const check = 'server.cache';
  const url = `${publicUrl}/api/auth/me`;
  // A cache answers the second request with the stored first reply, so both have the same request id.
  const first = await fetchText(url);
  const second = await fetchText(url);
  const id = second.headers.get('x-request-id');
  const isRepeated = id !== null && id === first.headers.get('x-request-id');
  const evidence = cacheHeaderOf(second.headers) ?? (isRepeated ? `X-Request-Id: ${id} twice` : null);
  if (evidence === null) return ok(check, 'No cache keeps the replies of the API.');
  return problem(
    check,
    `A cache has answered ${url} (${evidence}). It may show the data of one user to another.`,
    'Disable the cache of your proxy or CDN for this server, or at least for all paths except that of the tracker.',
  );
}

async function checkScript({ publicUrl, scriptPath, tracker }: ServerToCheck): Promise<Finding> {
  const check = 'tracker.script';
  const url = `${publicUrl}${scriptPath}`;
  const { status, headers, text } = await fetchText(url);
  const expected = tracker.documents
    .get(scriptPath)
    ?.reply((name) => (name === 'accept-encoding' ? 'identity' : undefined));
  if (status !== 200) {
    return problem(
      check,
      `${url} answers ${status}, so pages cannot load the tracker.`,
      'Let your proxy pass this path to the server. Check TRACKER_SCRIPT_PATH.',
    );
  }
  if (headers.get('content-type')?.startsWith('text/javascript') !== true) {
    return problem(
      check,
      `${url} has the content type ${headers.get('content-type') ?? '(none)'}, so browsers do not run it.`,
      'Let your proxy pass the headers of the server unchanged.',
    );
  }
  const changed = ['cache-control', 'cross-origin-resource-policy'].filter(
    (name) => headers.get(name) !== String(expected?.headers[name]),
  );
  if (changed.length > 0) {
    const list = changed.map((name) => `${name}: ${headers.get(name) ?? '(none)'}`).join(', ');
    return problem(
      check,
      `A proxy has changed the headers of ${url} (${list}). Browsers may keep an old tracker, or block it.`,
      `Let the proxy pass the headers of the server unchanged: ${changed.map((name) => `${name}: ${String(expected?.headers[name])}`).join(', ')}.`,
    );
  }
  if (!(expected?.body instanceof Uint8Array) || !Buffer.from(text).equals(expected.body)) {
    return warning(
      check,
      `${url} is not the tracker of this version. A proxy has cached or changed it, or the server has another version or other settings.`,
      'Run this command with the version and settings of the server, and clear the cache of the proxy.',
    );
  }
  const maxAge = Number(/max-age=(\d+)/.exec(headers.get('cache-control') ?? '')?.[1] ?? 0);
  if (Number(headers.get('age') ?? 0) > maxAge) {
    return warning(
      check,
      `A cache has kept ${url} for ${headers.get('age')} s, longer than its Cache-Control allows (${maxAge} s). After an update, pages get the old tracker.`,
      'Let the cache follow Cache-Control, or exclude this path from it.',
    );
  }
  const evidence = cacheHeaderOf(headers);
  const cache = evidence === null ? '' : ` A cache answers (${evidence}), as its Cache-Control allows.`;
  return ok(check, `${url} is the tracker of this version, with unchanged headers.${cache}`);
}

async function checkCors({ publicUrl, tracker, pageOrigin }: ServerToCheck): Promise<Finding> {
  const check = 'tracker.cors';
  const url = `${publicUrl}${tracker.endpoints}/click`;
  const { status, headers } = await fetchText(url, {
    method: 'OPTIONS',
    headers: {
      origin: pageOrigin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    },
  });
  const allowed = headers.get('access-control-allow-origin');
  const credentials = headers.get('access-control-allow-credentials');
  if (status === 204 && allowed === pageOrigin && credentials === 'true') {
    return ok(check, `Pages of ${pageOrigin} may call ${url}.`);
  }
  const cause = allowed?.includes(',')
    ? 'A proxy adds a second Access-Control-Allow-Origin header.'
    : 'A proxy answers or changes these requests.';
  return problem(
    check,
    `The preflight request of ${pageOrigin} to ${url} got ${status} with access-control-allow-origin: ${allowed ?? '(none)'} and access-control-allow-credentials: ${credentials ?? '(none)'}. ${cause} Browsers then block clicks and leads.`,
    'Remove all CORS settings from the proxy. The server sets these headers itself.',
  );
}

async function checkProxies({ publicUrl, metricsToken }: ServerToCheck): Promise<Finding[]> {
  const check = 'server.proxies';
  const how = 'Set METRICS_TOKEN for the server and for this command.';
  if (metricsToken === undefined) {
    return [warning(check, 'TRUST_PROXY was not checked, because METRICS_TOKEN is not set.', how)];
  }
  const { status, text } = await fetchText(`${publicUrl}/diagnostics`, {
    headers: { authorization: `Bearer ${metricsToken}`, 'x-forwarded-for': PROBE_ADDRESS },
  });
  const client = clientDescription.safeParse(parseObject(text));
  if (status === 200 && client.success) return judgeProxies(client.data, publicUrl);
  return [
    warning(
      check,
      `TRUST_PROXY was not checked, because ${publicUrl}/diagnostics answers ${status}.`,
      status === 401 || status === 403 ? how : 'Let your proxy pass this path to the server.',
    ),
  ];
}
