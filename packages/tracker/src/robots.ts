/**
 * Whether the visitor is a robot: the browser is automated (`navigator.webdriver`), or the user agent
 * contains the name of a bot.
 */
export function isRobot(): boolean {
  return navigator.webdriver || /crawl|preview|headless|spider|bot|lighthouse/i.test(navigator.userAgent);
}
