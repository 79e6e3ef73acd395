import { getAffkit } from '../../../affkit.ts';

/** A visitor signs up: the click that brought them is tied to their id. */
export async function POST(request: Request): Promise<Response> {
  const { userId } = (await request.json()) as { userId: string };
  const cookies = request.headers.get('cookie') ?? '';
  const clickId = /(?:^|;\s*)service_click_id=([^;]+)/.exec(cookies)?.[1];
  // Whoever came by nobody's link is no lead.
  if (clickId !== undefined) await getAffkit().lead({ click_id: clickId, customer_key: userId });
  return Response.json({ userId }, { status: 201 });
}
