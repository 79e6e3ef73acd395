/** Whether the browser is automated (`navigator.webdriver`) or its user agent names a bot. */
export function isRobot(): boolean {
  return navigator.webdriver || /bot|crawl|spider|headless|lighthouse|preview/i.test(navigator.userAgent);
}
