// @vitest-environment jsdom
// @vitest-environment-options { "url": "https://www.shop.example/?aff=ann" }
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AffkitTracker, useClickId } from './react.ts';

function Id() {
  return createElement('b', null, useClickId() ?? 'none');
}

const app = () =>
  createElement(
    'main',
    null,
    createElement(AffkitTracker, { baseUrl: 'https://t.example' }),
    createElement(Id),
  );

beforeEach(() => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
  vi.stubGlobal('fetch', async () =>
    Response.json({
      success: true,
      click_id: 'clk_1',
      partner_code: 'ann',
      attributed_partner_code: 'ann',
      attribution_model: 'last_click',
      cookie_window_days: 30,
    }),
  );
});
afterEach(() => vi.unstubAllGlobals());

it('renders without a click id on a server', () => {
  expect(renderToString(app())).toBe('<main><b>none</b></main>');
});

it('tracks the visit after mounting and re-renders with the click id', async () => {
  const root = createRoot(document.body);
  const ready = new Promise((resolve) => document.addEventListener('affkit:ready', resolve));
  act(() => root.render(app()));
  await act(() => ready);
  expect(document.body.innerHTML).toBe('<main><b>clk_1</b></main>');
  act(() => root.unmount());
});
