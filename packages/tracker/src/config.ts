import type { ConsentState } from './api.ts';

/** Settings of a tracker. The script reads the same settings from the `data-` attributes of its tag. */
export interface TrackerOptions {
  /** URL of the tracking server, or a path of the site that proxies it, e.g. `/t`. */
  baseUrl: string;
  /**
   * Path of the endpoints below `baseUrl`. The tracker appends `/click` and `/lead`.
   * @default '/api/v1/track'
   */
  path?: string | undefined;
  /** Sent as `additional_data.program_id`. Limits links to this program and assigns test events to it. */
  program?: number | string | undefined;
  /** Query parameter of the landing URL that contains the partner's code. @default 'aff' */
  param?: string | undefined;
  /** Name of the first-party cookie for the click id. @default 'service_click_id' */
  cookieName?: string | undefined;
  /**
   * Domain of the cookie, or `host` for a host-only cookie.
   * @default the widest domain of the page on which the browser accepts a cookie
   */
  cookieDomain?: string | undefined;
  /** Nothing is read, stored or sent until consent is `granted`. @default 'granted' */
  consent?: ConsentState | undefined;
  /** Whether Global Privacy Control means `denied`. @default false */
  respectGpc?: boolean | undefined;
  /** Comma-separated sites, subdomains included, that links may pass the click to and from. @default none */
  linker?: string | undefined;
  /** Whether to track the landing automatically. @default true */
  auto?: boolean | undefined;
  /** Whether to track route changes of a single-page app. @default true */
  spa?: boolean | undefined;
  /** How to treat clicks of bots. `flag` sends them with `additional_data.robot`. @default 'drop' */
  bots?: 'drop' | 'flag' | 'allow' | undefined;
  /** Whether to log decisions to the console, as `?affkit_debug` in the page URL does too. @default false */
  debug?: boolean | undefined;
}

/** The options as values, or as strings from the attributes of the same names. */
export type Settings = { readonly [K in keyof TrackerOptions]?: TrackerOptions[K] | string };

// Module variables, because a page has one tracker. A settings object would make the script 10 % larger.
export let endpoints: string;
export let program: Settings['program'];
export let param: string;
export let cookieName: string;
/** Key of the localStorage entry. An incompatible format requires another key. */
export let entryName: string;
export let cookieDomain: string;
export let linker: string;
export let bots: Settings['bots'];
export let debug: boolean | string;

/** Sets the module variables from the options. */
export function configure(options: Settings): void {
  const { baseUrl = '', path = '/api/v1/track' } = options;
  endpoints = baseUrl.replace(/\/$/, '') + path;
  ({
    program,
    param = 'aff',
    cookieName = 'service_click_id',
    cookieDomain = '',
    linker = '',
    bots,
    debug = false,
  } = options);
  entryName = `affkit1:${cookieName}`;
}

/** Sets the linked sites in the linker's own file, where the module variables have no values. */
export function configureLinker(list: string): void {
  linker = list;
}

/** Whether a boolean setting is on: an absent setting and `data-debug` are on, `data-auto="false"` is off. */
export function isEnabled(setting: boolean | string | undefined): boolean {
  return `${setting}` !== 'false';
}
