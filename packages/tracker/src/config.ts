import type { ConsentState } from './api.ts';

/** The settings of a tracker. The script reads the same settings from the `data-` attributes of its tag. */
export interface TrackerOptions {
  /** The URL of the tracking server, or a path of your site that forwards requests to it, such as `/t`. */
  baseUrl: string;
  /**
   * The path of the endpoints, relative to `baseUrl`. The tracker appends `/click` and `/lead`.
   * @default '/api/v1/track'
   */
  path?: string | undefined;
  /**
   * The id of the program, which is sent as `additional_data.program_id`. Only links of this program are then tracked,
   * and test events belong to this program.
   */
  program?: number | string | undefined;
  /** The query parameter of the landing URL that contains the partner's code. @default 'aff' */
  param?: string | undefined;
  /** The name of the first-party cookie for the click id. @default 'service_click_id' */
  cookieName?: string | undefined;
  /**
   * The domain of the cookie, or `host` for a host-only cookie.
   * @default the widest domain that the browser accepts on this page
   */
  cookieDomain?: string | undefined;
  /** The visitor's consent. Until it is `granted`, nothing is read, stored or sent. @default 'granted' */
  consent?: ConsentState | undefined;
  /** Whether Global Privacy Control is treated as `denied`. @default false */
  respectGpc?: boolean | undefined;
  /**
   * A comma-separated list of sites. Links may pass the click to and from these sites and their subdomains.
   * @default none
   */
  linker?: string | undefined;
  /** Whether to track the landing automatically. @default true */
  auto?: boolean | undefined;
  /** Whether to track route changes of a single-page app. @default true */
  spa?: boolean | undefined;
  /** What to do with clicks of bots. `flag` sends them with `additional_data.robot`. @default 'drop' */
  bots?: 'drop' | 'flag' | 'allow' | undefined;
  /**
   * Whether to log decisions to the console. `?affkit_debug` in the page URL has the same effect.
   * @default false
   */
  debug?: boolean | undefined;
}

/** The options, either as values or as strings from the attributes of the same names. */
export type Settings = { readonly [K in keyof TrackerOptions]?: TrackerOptions[K] | string };

// Module variables are sufficient, because a page has only one tracker. A settings object would make the
// script 10% larger.
export let endpoints: string;
export let debug: boolean | string;
export let bots: Settings['bots'];
export let cookieName: string;
export let program: Settings['program'];
export let cookieDomain: string | undefined;
export let param: string;
/** The key of the localStorage entry. If the format changes incompatibly, change the key. */
export let entryName: string;
export let linker: string | undefined;

/** Sets the module variables from the options. */
export function configure(options: Settings): void {
  const { baseUrl = '', path = '/api/v1/track' } = options;
  endpoints = baseUrl.replace(/\/$/, '') + path;
  ({
    program,
    linker,
    cookieDomain,
    cookieName = 'service_click_id',
    param = 'aff',
    bots,
    debug = false,
  } = options);
  entryName = `affkit1:${cookieName}`;
}

/**
 * Sets the linked sites. The linker is a separate script, and its copy of this module has no other settings.
 */
export function configureLinker(list: string): void {
  linker = list;
}

/**
 * Whether a boolean setting is on. It is on if it is missing or has no value (`data-debug`), and off with
 * `data-auto="false"`.
 */
export function isEnabled(setting: boolean | string | undefined): boolean {
  return `${setting}` !== 'false';
}
