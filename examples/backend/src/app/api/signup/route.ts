import { getAffkit } from '../../../affkit.ts';

/** Signs a visitor up, and reports the user id together with the click id from the visitor's cookie. */
export async function POST(request: Request): Promise<Response> {
  const { userId } = (await request.json()) as { userId: string };
  const cookies = request.headers.get('cookie') ?? '';
  const clickId = /(?:^|;\s*)service_click_id=([^;]+)/.exec(cookies)?.[1];
  // Without a click, no partner referred this visitor, so there is no lead to report.
  if (clickId !== undefined) {
    // A slow or failed call must not prevent the sign-up. The call is awaited, because some platforms stop this code
    // after the response.
    await getAffkit()
      .lead({ click_id: clickId, customer_key: userId }, { deadlineMs: 2_000 })
      .catch((error: unknown) => console.warn('Affkit lead', error));
  }
  return Response.json({ userId }, { status: 201 });
}
