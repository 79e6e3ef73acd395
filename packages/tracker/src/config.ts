import type { ConsentState } from './api.ts';

/** Settings of a tracker. The script reads the same ones from the `data-` attributes of its tag. */
export interface TrackerOptions {
  /** Address of the tracking server, or of a path of the site that proxies it, e.g. `/t`. */
  baseUrl: string;
  /** Path of the endpoints there, to which `/click` and `/lead` are added. @default '/api/v1/track' */
  path?: string | undefined;
  /** Sent along as `additional_data.program_id`: links of other programs are none then, and test events find theirs. */
  program?: number | string | undefined;
  /** Query parameter of the landing URL that carries the partner's code. @default 'aff' */
  param?: string | undefined;
  /** First-party cookie that keeps the click id. @default 'service_click_id' */
  cookieName?: string | undefined;
  /**
   * Domain of the cookie, or `host` for a cookie of this host alone.
   * @default the widest domain of the page that the browser lets a cookie be set on
   */
  cookieDomain?: string | undefined;
  /** Until it is `granted` nothing is read, stored or sent. @default 'granted' */
  consent?: ConsentState | undefined;
  /** Takes Global Privacy Control for `denied`. @default false */
  respectGpc?: boolean | undefined;
  /** Other sites, comma-separated, subdomains included, to hand the click to and to take it from. @default none */
  linker?: string | undefined;
  /** Track the landing without being asked. @default true */
  auto?: boolean | undefined;
  /** Track the routes of a single-page app too. @default true */
  spa?: boolean | undefined;
  /** What becomes of a robot's click; `flag` sends it with `additional_data.robot`. @default 'drop' */
  bots?: 'drop' | 'flag' | 'allow' | undefined;
  /** One console line for each decision. `?affkit_debug` in the page's URL turns it on too. @default false */
  debug?: boolean | undefined;
}

/** The options, or attributes of the same names. */
export type Settings = { readonly [K in keyof TrackerOptions]?: TrackerOptions[K] | string };

// A page has one tracker: settings of its own for each would cost a tenth of the script.
export let endpoints: string;
export let program: Settings['program'];
export let param: string;
export let cookieName: string;
/** The store's entry. Another form of it would need another name. */
export let entryName: string;
export let cookieDomain: string;
export let linker: string;
export let bots: Settings['bots'];
export let debug: boolean | string;

/** Takes the settings for the page. */
export function configure(options: Settings): void {
  const { baseUrl = '', path = '/api/v1/track' } = options;
  endpoints = baseUrl.replace(/\/+$/, '') + path;
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

/** A switch as a value or as an attribute: `data-debug` is on, `data-auto="false"` off; unset it is on. */
export function isOn(setting: boolean | string | undefined): boolean {
  return `${setting}` !== 'false';
}
