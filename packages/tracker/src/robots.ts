const ROBOT = /bot|crawl|spider|headless|lighthouse|preview/i;

/** Whether nobody looks at the page: a browser under remote control, or one that says so of itself. */
export function isRobot(): boolean {
  return navigator.webdriver || ROBOT.test(navigator.userAgent);
}
