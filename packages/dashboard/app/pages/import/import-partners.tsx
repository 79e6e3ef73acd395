import type { JSX } from 'preact';
export function ImportPartners(): JSX.Element | null {
  return null;
}
