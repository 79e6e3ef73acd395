import type { Page } from 'playwright-core';

/**
 * Returns a description of each layout fault. A fault is a text that leaves its cell or card, an amount with a
 * line break or in the wrong direction, or a page or card that is too wide. Texts that are shortened with an
 * ellipsis, and parts that scroll by design, such as tabs, are not faults.
 */
export function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    // Charts adapt to a new width in the next frame.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    const faults = new Set<string>();
    const nameOf = (element: Element) =>
      `${element.localName}.${element.className} "${(element.textContent ?? '').slice(0, 40)}"`;
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) faults.add(`The page is ${scrollWidth - innerWidth} px too wide`);
    for (const card of document.querySelectorAll('.card, dialog')) {
      const excess = card.scrollWidth - card.clientWidth;
      if (excess > 0) faults.add(`${excess} px too wide: ${nameOf(card)}`);
    }
    const range = document.createRange();
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      const parent = text.parentElement;
      if (!parent?.checkVisibility() || parent.closest('.hidden, .skip, svg, option, .results')) continue;
      const value = text.textContent ?? '';
      const amounts = [...value.matchAll(/\d{1,3}(?:,\d{2,3})+(?:\.\d+)?/g)];
      if (amounts.length > 0 && getComputedStyle(parent).direction === 'rtl')
        faults.add(`Amount from right to left: ${nameOf(parent)}`);
      const parts = parent.closest('.segments') ? [value.trim()] : amounts.map(([amount]) => amount);
      for (const part of parts) {
        const start = value.indexOf(part);
        range.setStart(text, start);
        range.setEnd(text, start + part.length);
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (lines.size > 1) faults.add(`Line break in ${part}: ${nameOf(parent)}`);
      }
      range.selectNodeContents(text);
      const { left, right, width } = range.getBoundingClientRect();
      for (let box: Element | null = parent; box && width > 0; box = box.parentElement) {
        const { overflowX, display } = getComputedStyle(box);
        if (overflowX !== 'visible' && !box.matches('.card, dialog')) break;
        const isCell = display !== 'inline' && display !== 'contents';
        if (!isCell || !box.matches('td, th, dt, dd, li, p, h1, h2, button, a, .badge, .card, .row, dialog'))
          continue;
        const bounds = box.getBoundingClientRect();
        const excess = Math.round(Math.max(right - bounds.right, bounds.left - left));
        if (excess > 1)
          faults.add(`${excess} px cut off: ${nameOf(parent)} in ${box.localName}.${box.className}`);
        break;
      }
    }
    return [...faults];
  });
}
