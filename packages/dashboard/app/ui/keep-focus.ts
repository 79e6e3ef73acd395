const CONTROL = 'a[href],button,input,select,textarea';
const TITLE = ':is(h1, h2)[tabindex]';

let isStarted = false;

/**
 * From now on, moves the focus when the focused element is removed from the page, for example with its row. The
 * focus moves to the first control in the next element, or else to the closest title. Otherwise, screen readers
 * and the Tab key would start at the top again. An element that has only moved gets the focus again. Further
 * calls do nothing.
 */
export function keepFocus(): void {
  if (isStarted) return;
  isStarted = true;
  let focused = document.activeElement as HTMLElement | null;
  addEventListener('focusin', ({ target }) => {
    focused = target as HTMLElement;
  });
  const observer = new MutationObserver((records) => {
    for (const { removedNodes, nextSibling, target } of records) {
      const isOnPage = (target as Element).closest('main') !== null;
      if (!isOnPage || !isFocusLost() || ![...removedNodes].some((node) => node.contains(focused))) continue;
      focus(focused);
      if (nextSibling instanceof Element) focus(nextSibling.querySelector<HTMLElement>(CONTROL));
      focus((target as Element).closest(`:has(${TITLE})`)?.querySelector<HTMLElement>(TITLE));
    }
  });
  observer.observe(document.body, { childList: true, subtree: true });
}

function isFocusLost(): boolean {
  return document.activeElement === document.body;
}

/** Focuses the element, unless another element already has the focus. Has no effect if the element was removed. */
function focus(element: HTMLElement | null | undefined): void {
  if (isFocusLost()) element?.focus({ preventScroll: true });
}
