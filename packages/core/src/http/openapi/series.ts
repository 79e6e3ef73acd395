import { seriesReply, topReply } from '@affkit/protocol';
import { type Descriptions, reply } from './description.ts';

const DESCRIBED_PROGRAM_PATH = '/api/advertiser/affiliate-programs/:id';

const exampleRange = { date_from: '2026-01-31T00:00:00.000Z', date_to: '2026-01-31T23:59:59.999Z' };
const examplePreviousRange = { date_from: '2026-01-30T00:00:00.000Z', date_to: '2026-01-30T23:59:59.999Z' };

export const seriesDescriptions: Descriptions = {
  [`GET ${DESCRIBED_PROGRAM_PATH}/series`]: {
    id: 'readSeries',
    tag: 'Dashboard',
    summary: 'Get measures over time',
    description:
      'Values by UTC day or hour, with the values of the preceding range of equal length. Amounts are in the smallest unit, with a series for each currency; nothing is converted. Revenue is gross. `commission` is the sum of the commissions that partners earned.',
    replies: {
      200: reply('The values of each measure.', seriesReply, {
        'One day': {
          success: true,
          data: {
            unit: 'day',
            times: [exampleRange.date_from],
            series: [
              {
                measure: 'clicks',
                currency: null,
                values: [40],
                total: 40,
                previous_values: [32],
                previous_total: 32,
              },
              {
                measure: 'revenue',
                currency: 'USD',
                values: [3998],
                total: 3998,
                previous_values: [0],
                previous_total: 0,
              },
            ],
          },
          meta: { ...exampleRange, previous: examplePreviousRange },
        },
      }),
    },
  },
  [`GET ${DESCRIBED_PROGRAM_PATH}/top`]: {
    id: 'readTop',
    tag: 'Dashboard',
    summary: 'Rank partners or links',
    description:
      'The partners or links with the highest values in whole UTC days, highest first. Partners and links with a value of 0 are omitted.',
    replies: {
      200: reply('The highest values.', topReply, {
        Partners: {
          success: true,
          data: [{ partner_id: 1, partner_name: 'Anna', value: 3998 }],
          meta: { ...exampleRange, measure: 'revenue', currency: 'USD' },
        },
        Links: {
          success: true,
          data: [{ partner_id: 1, partner_name: 'Anna', link_id: 1, short_link: 'anna', value: 40 }],
          meta: { ...exampleRange, measure: 'clicks', currency: null },
        },
      }),
    },
  },
};
