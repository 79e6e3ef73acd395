import type { JSX } from 'preact';
import { Page } from '../../ui/page.tsx';

export function Overview(): JSX.Element {
  return <Page title="Overview">…</Page>;
}
