import type { JSX } from 'preact';

/** The Affkit logo, as in `icon.svg`. It is inlined, because an image would need another request. */
export function Logo({ size }: { size: number }): JSX.Element {
  return (
    <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#4f46e5" />
      <circle cx="10" cy="21" r="4" fill="#fff" />
      <circle cx="22" cy="11" r="4" fill="#fff" />
      <path d="m13 18.5 6-5" stroke="#fff" stroke-width="2.5" />
    </svg>
  );
}
