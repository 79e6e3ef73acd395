import { isHostWithin, type ProgramOfPage } from '@affkit/core';
import type { TrackerScript } from '../../tracker-script.ts';
import { findBlockingDirectives, type LoadedResource } from './content-security-policy.ts';
import { fetchText, NoResponse } from './fetch-text.ts';
import { type Finding, ok, problem, warning } from './finding.ts';
import { type ParsedPage, parsePage } from './parse-page.ts';

/** A page of a shop, with the server whose tracker it should load. */
export interface PageToCheck {
  readonly pageUrl: string;
  readonly publicUrl: string;
  readonly tracker: TrackerScript;
  /** The path of the tracker script that the tags on your pages use. */
  readonly scriptPath: string;
  /** The programs that allow the origin of the page. Null if the database cannot be read. */
  readonly programs: readonly ProgramOfPage[] | null;
}

/** Matches the version in a path such as `/js/affkit.0123456789abcdef.js`. The page may use an older version. */
const VERSION = /\.[0-9a-f]{16}\.js$/;

/** Checks whether a page loads the tracker, and whether a program accepts clicks from the page. */
export async function checkPage(target: PageToCheck): Promise<Finding[]> {
  const check = 'page.reachable';
  const { pageUrl } = target;
  try {
    const { status, headers, text, url } = await fetchText(pageUrl, { redirect: 'follow' });
    if (status !== 200) {
      return [
        problem(check, `${pageUrl} answers ${status}.`, 'Pass the URL of a page that visitors can open.'),
      ];
    }
    const parsed = parsePage(text);
    const policy = headers.get('content-security-policy');
    const page = {
      ...target,
      page: new URL(url),
      scripts: parsed.scripts,
      policies: [...(policy === null ? [] : [policy]), ...parsed.policies],
    };
    return [
      ok(check, `${url} is reachable.`),
      ...checkTag(page),
      ...checkPolicies(page),
      ...checkPrograms(page),
    ];
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    return [
      problem(
        check,
        `${pageUrl} cannot be reached from here: ${error.message}.`,
        'Check the URL of the page.',
      ),
    ];
  }
}

type LoadedPage = PageToCheck & ParsedPage & { readonly page: URL };

interface TrackerTag {
  readonly url: URL;
  readonly attributes: ReadonlyMap<string, string>;
}

/** Finds the tags that load the tracker: from the server, or through a proxy on another host or below another path. */
function findTags({ scripts, page, tracker }: LoadedPage): TrackerTag[] {
  const stems = [...tracker.documents.keys()]
    .filter((path) => !path.includes('-linker.'))
    .map((path) => path.replace(VERSION, '.js'));
  return scripts.flatMap((attributes) => {
    const src = attributes.get('src') ?? '';
    if (!URL.canParse(src, page.href)) return [];
    const url = new URL(src, page);
    const path = url.pathname.replace(VERSION, '.js');
    return stems.some((stem) => path.endsWith(stem)) ? [{ url, attributes }] : [];
  });
}

function checkTag(target: LoadedPage): Finding[] {
  const check = 'page.tag';
  const { page, publicUrl, scriptPath, tracker } = target;
  const tags = findTags(target);
  const [tag] = tags;
  if (!tag) {
    return [
      warning(
        check,
        `The HTML of ${page.href} has no tag for the tracker.`,
        `Add <script async src="${publicUrl}${scriptPath}"></script>, unless a tag manager or the npm module loads the tracker.`,
      ),
    ];
  }
  const integrity = tag.attributes.get('integrity');
  if (integrity !== undefined && !integrity.includes(tracker.script.integrity)) {
    return [
      problem(
        check,
        `The tag for ${tag.url.href} has an integrity that does not match the tracker of this version, so browsers may block it.`,
        `Use the path ${tracker.script.path} with integrity="${tracker.script.integrity}".`,
      ),
    ];
  }
  if (page.protocol === 'https:' && tag.url.protocol === 'http:') {
    return [
      problem(
        check,
        `The page uses https, but its tag loads ${tag.url.href} over http. Browsers block this.`,
        'Set PUBLIC_URL to an https URL, and use it in the tag.',
      ),
    ];
  }
  return [ok(check, `The page loads the tracker from ${tag.url.href}.`)];
}

function checkPolicies(target: LoadedPage): Finding[] {
  const check = 'page.csp';
  const { policies, page, publicUrl, scriptPath, tracker } = target;
  if (policies.length === 0) return [ok(check, 'The page has no Content Security Policy.')];
  const [tag] = findTags(target);
  const resources: LoadedResource[] = [
    {
      kind: 'script',
      url: tag?.url ?? new URL(`${publicUrl}${scriptPath}`),
      nonce: tag?.attributes.get('nonce'),
    },
    { kind: 'connect', url: new URL(`${baseUrlOf(tag, page) ?? publicUrl}${tracker.endpoints}/click`) },
  ];
  const findings = resources.flatMap((resource) =>
    findBlockingDirectives(policies, resource, page).map((directive) => {
      const needed = resource.kind === 'script' ? 'script-src' : 'connect-src';
      return problem(
        check,
        `The Content Security Policy of the page blocks ${resource.url.href} (${directive}).`,
        `Add ${resource.url.origin} to ${needed}${resource.kind === 'script' ? ', or give the tag the nonce of the policy' : ''}.`,
      );
    }),
  );
  return findings.length > 0
    ? findings
    : [ok(check, 'The Content Security Policy of the page allows the tracker and its requests.')];
}

/** Returns the URL to which the tracker of this tag sends its requests, without a trailing slash. */
function baseUrlOf(tag: TrackerTag | undefined, page: URL): string | null {
  if (!tag) return null;
  const given = tag.attributes.get('data-base-url');
  const base =
    given !== undefined && URL.canParse(given, page.href) ? new URL(given, page).href : tag.url.origin;
  return base.replace(/\/$/, '');
}

function checkPrograms({ page, publicUrl, programs }: LoadedPage): Finding[] {
  const check = 'page.program';
  if (programs === null) return [];
  if (programs.length === 0) {
    return [
      problem(
        check,
        `No program has ${page.origin} in allowed_origins, so the server rejects clicks and leads of this page.`,
        `Add ${page.origin} to allowed_origins of your program, in Settings on the dashboard.`,
      ),
    ];
  }
  return programs.flatMap((program) => [
    ok(check, `Program ${program.id} (${program.name}) accepts events of ${page.origin}.`),
    checkCookieDomain(program, page, new URL(publicUrl)),
  ]);
}

export function checkCookieDomain(
  { id, cookieDomain }: Pick<ProgramOfPage, 'id' | 'cookieDomain'>,
  page: URL,
  server: URL,
): Finding {
  const check = 'page.cookie_domain';
  if (cookieDomain === null) {
    return ok(
      check,
      `Program ${id} has no cookie_domain, so the tracker sets the cookie. Safari deletes such cookies after 7 days.`,
    );
  }
  if (!isHostWithin(page.hostname, cookieDomain)) {
    return problem(
      check,
      `${page.hostname} is not within the cookie_domain ${cookieDomain} of program ${id}, so browsers reject the cookie.`,
      `Set cookie_domain to a domain that contains ${page.hostname}, or to null.`,
    );
  }
  if (!isHostWithin(server.hostname, cookieDomain)) {
    return warning(
      check,
      `The server ${server.hostname} is not within the cookie_domain ${cookieDomain} of program ${id}, so only the tracker can set the cookie. Safari deletes such cookies after 7 days.`,
      `Serve Affkit from a host of ${cookieDomain}, such as affiliates.${cookieDomain}.`,
    );
  }
  return ok(check, `The server can set the cookie for ${cookieDomain}, which contains the page.`);
}
