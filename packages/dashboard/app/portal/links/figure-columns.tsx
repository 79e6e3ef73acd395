import * as common from '#messages/common.ts';
import * as portal from '#messages/portal.tsx';
import type { PortalSubIds } from '../../api/types.ts';
import { formatCount } from '../../format/number.ts';
import type { Column } from '../../ui/table.tsx';
import { Amounts } from '../../ui/values.tsx';

type Figures = Pick<PortalSubIds['data'][number], 'clicks' | 'leads' | 'sales' | 'earnings'>;

/** The columns with the measures of a link or a sub id. @param currency the currency to show first */
export function figureColumns<Row extends Figures>(currency: string): readonly Column<Row>[] {
  const count = (title: string, of: (row: Row) => number): Column<Row> => ({
    title,
    align: 'end',
    cell: (row) => formatCount(of(row)),
  });
  return [
    count(common.clicks, ({ clicks }) => clicks),
    count(common.signUps, ({ leads }) => leads),
    count(common.sales, ({ sales }) => sales),
    {
      title: portal.earnedBeforeRefunds,
      align: 'end',
      cell: ({ earnings }) => (
        <Amounts
          amounts={earnings.map(({ currency: code, amount_cents }) => ({
            currency: code,
            cents: amount_cents,
          }))}
          currency={currency}
        />
      ),
    },
  ];
}
