import { describePanel, type PanelState, type Partner, type Trace, type UnattributedOrder } from './panel.ts';

/** Options of {@link AffkitReader}. */
export interface AffkitReaderOptions {
  readonly baseUrl: string;
  readonly programId: number;
  /** A management key with the scopes `partner:list` and `trace:read`. */
  readonly key: string;
  /** Codes of the partners that the panel shows. */
  readonly partnerCodes: readonly string[];
}

/** Reads the data of the live panel from Affkit's management API. */
export class AffkitReader {
  readonly #options: AffkitReaderOptions;

  constructor(options: AffkitReaderOptions) {
    this.#options = options;
  }

  /** @param visitor identified by the customer key, or by the click id before the visitor signs up */
  async readPanel(visitor: {
    customerKey: string | undefined;
    clickId: string | undefined;
    unattributedOrders: readonly UnattributedOrder[];
  }): Promise<PanelState> {
    const [partners, byKey] = await Promise.all([
      this.#get<readonly Partner[]>('partners', { pageSize: '100' }),
      visitor.customerKey ? this.#get<Trace>('trace', { customer_key: visitor.customerKey }) : null,
    ]);
    const trace =
      byKey ?? (visitor.clickId ? await this.#get<Trace>('trace', { click_id: visitor.clickId }) : null);
    return describePanel(trace, partners ?? [], visitor.unattributedOrders, this.#options.partnerCodes);
  }

  /** The `data` of a response, or null after a 404. */
  async #get<T>(what: string, query: Record<string, string>): Promise<T | null> {
    const { baseUrl, programId, key } = this.#options;
    const url = `${baseUrl}/api/advertiser/affiliate-programs/${programId}/${what}?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`${url} failed with status ${response.status}`);
    // The cast is safe because the API documents this shape.
    return ((await response.json()) as { data: T }).data;
  }
}
