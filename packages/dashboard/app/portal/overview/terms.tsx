import type { JSX } from 'preact';
import * as messages from '#messages/portal-overview.ts';
import type { PortalProgram } from '../../api/types.ts';

/** Describes in plain words what the partner earns. */
export function Terms({ program }: { program: PortalProgram }): JSX.Element {
  const { commission, products, hold_days } = program.terms;
  return (
    <section class="card" aria-labelledby="terms">
      <h2 id="terms">{messages.terms}</h2>
      <div class="stack tight">
        <p>{commission?.text ?? messages.noTerms}</p>
        {products.length > 0 && (
          <dl class="facts">
            {products.map(({ product_id, text }) => (
              <>
                <dt key={product_id}>{messages.forProduct(product_id)}</dt>
                <dd>{text}</dd>
              </>
            ))}
          </dl>
        )}
        <p class="quiet">{messages.clickCounts(program.cookie_window_days)}</p>
        <p class="quiet">{messages.held(hold_days)}</p>
      </div>
    </section>
  );
}
