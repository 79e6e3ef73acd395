import { getAffkit } from '../../../affkit.ts';

/** Signs a visitor up, and reports the user id together with the click id from the visitor's cookie. */
export async function POST(request: Request): Promise<Response> {
  const { userId } = (await request.json()) as { userId: string };
  const cookies = request.headers.get('cookie') ?? '';
  const clickId = /(?:^|;\s*)service_click_id=([^;]+)/.exec(cookies)?.[1];
  // Without a click, no partner referred this visitor, so there is no lead to report.
  if (clickId !== undefined) await getAffkit().lead({ click_id: clickId, customer_key: userId });
  return Response.json({ userId }, { status: 201 });
}
