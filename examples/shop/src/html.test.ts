import { expect, test } from 'vitest';
import { html } from './html.ts';

test('escapes interpolated text, but not nested HTML', () => {
  const name = `<b>"O'Neil" & co</b>`;
  expect(html`<p title="${name}">${html`<i>${1}</i>`}${null}${[html`<hr>`, html`<br>`]}</p>`.text).toBe(
    '<p title="&lt;b&gt;&quot;O&#39;Neil&quot; &amp; co&lt;/b&gt;"><i>1</i><hr><br></p>',
  );
});
