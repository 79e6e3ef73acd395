import type { JSX } from 'preact';

const PATHS = {
  overview: 'M3 13V9m4 4V5m4 8V7m4 6V3',
  why: 'M6.500 6.500a2.500 2.500 0 1 1 3.600 2.250c-.7.35-1.100.9-1.100 1.750M9 13.250v.01M9 16A7 7 0 1 0 9 2a7 7 0 0 0 0 14Z',
  events: 'M2 9h3l2-5 4 10 2-5h3',
  partners:
    'M6.500 9a2.750 2.750 0 1 0 0-5.500 2.750 2.750 0 0 0 0 5.500ZM2 15c0-2.500 2-4 4.500-4S11 12.500 11 15m1.500-11.300a2.750 2.750 0 0 1 0 5.100M13 11.300c1.800.4 3 1.700 3 3.700',
  links:
    'M7.500 10.500 10.500 7.500M8 5.500l1.500-1.500a3 3 0 0 1 4.500 4.500L12.500 10M10 12.500 8.500 14A3 3 0 0 1 4 9.500L5.500 8',
  commissions:
    'M9 2v14M12.500 5.500C12 4.500 10.800 4 9 4 7 4 5.500 4.900 5.500 6.500c0 3.500 7 1.500 7 5 0 1.600-1.500 2.500-3.500 2.500-1.800 0-3-.5-3.500-1.500',
  payouts: 'M2.500 5h13v8h-13V5Zm6.500 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  policies:
    'M4 14 14 4M5.500 7a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Zm7 7a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3Z',
  webhook: 'm15.500 2.500-13 5 5.500 2.500 2.500 5.500 5-13ZM8 10l3-3',
  setup: 'm6 6-3 3 3 3m6-6 3 3-3 3',
  settings: 'M3 5h6m4 0h2M3 13h2m4 0h6M11 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM7 15a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  members: 'M9 9a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-6 6.500C3 12.500 5.500 11 9 11s6 1.500 6 4.500',
  key: 'M11.500 10a3.500 3.500 0 1 0-3.300-2.300L3 13v2h2.500v-1.500H7V12h1.500l1.400-1.400c.5.300 1 .4 1.600.4Zm.8-4.200v.01',
  processor: 'M2 4.500h14v9H2v-9ZM2 8h14M5 11h2.500',
  mail: 'M2.500 4h13v10h-13V4Zm0 1 6.500 5 6.500-5',
  audit: 'M4 2.500h10v13H4v-13ZM6.500 6h5m-5 3h5m-5 3h3',
  account:
    'M9 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Zm-4.300 5C5.200 12.500 6.900 11.500 9 11.500s3.800 1 4.300 3M9 16.500a7.500 7.500 0 1 0 0-15 7.500 7.500 0 0 0 0 15Z',
  bell: 'M4.500 7a4.500 4.500 0 0 1 9 0c0 4 1.500 5 1.500 5H3s1.500-1 1.500-5Zm3 8a1.600 1.600 0 0 0 3 0',
  search: 'M8 13A5 5 0 1 0 8 3a5 5 0 0 0 0 10Zm3.500-1.500L15 15',
  menu: 'M3 5h12M3 9h12M3 13h12',
  close: 'm4.500 4.500 9 9m0-9-9 9',
  copy: 'M6.500 6.500v-3h8v8h-3m-8-5h8v8h-8v-8Z',
  check: 'm3.500 9.500 3.500 3.500 7.500-8',
  more: 'M4.500 9v.01M9 9v.01M13.500 9v.01',
  left: 'M11 4 6 9l5 5',
  right: 'm7 4 5 5-5 5',
  up: 'm5 11 4-4 4 4',
  down: 'm5 7 4 4 4-4',
  sort: 'm6 7 3-3 3 3M6 11l3 3 3-3',
  exit: 'M7 3H3v12h4m4.500-9L15 9l-3.500 3M15 9H7',
  download: 'M9 3v8m-3.500-3L9 11.500 12.500 8M3.500 14.500h11',
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon. Its parent needs a text or an `aria-label`. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 18 18"
      fill="none"
      stroke="currentColor"
      stroke-width={name === 'more' ? 2 : 1.5}
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
