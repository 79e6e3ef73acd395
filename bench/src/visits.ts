/** A click request. */
interface Visit {
  readonly method: 'POST';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/VERSION.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/VERSION.0 Safari/605.1.15',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/VERSION.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (X11; Linux x86_64; rv:VERSION.0) Gecko/20100101 Firefox/VERSION.0',
];

/**
 * Click requests of 400 visitors with different addresses, browsers and pages, for realistic cache hit rates.
 */
export function visits(partnerCode: string): Visit[] {
  return Array.from({ length: 400 }, (_, index) => ({
    method: 'POST' as const,
    path: '/api/v1/track/click',
    headers: {
      'content-type': 'application/json',
      origin: 'https://shop.example',
      'user-agent': (BROWSERS[index % BROWSERS.length] ?? '').replaceAll(
        'VERSION',
        String(100 + (index % 25)),
      ),
      'x-forwarded-for': `${1 + ((index * 7) % 220)}.${(index * 13) % 250}.${(index * 31) % 250}.${1 + (index % 250)}`,
    },
    body: JSON.stringify(visitBody(partnerCode, index)),
  }));
}

/** The body that the tracker sends for a visit. */
export function visitBody(partnerCode: string, index: number): Record<string, string> {
  const landing = `https://shop.example/landing/${index % 40}?aff=${partnerCode}&utm_source=newsletter`;
  return {
    affiliate_url: landing,
    page_url: landing,
    page_title: 'Landing page',
    referrer_url: 'https://news.example/articles/best-shops',
    session_id: `session-${index}`,
    screen_resolution: '1920x1080',
    viewport_size: '1280x720',
    language: 'en-US',
    timezone: 'Europe/Berlin',
  };
}
