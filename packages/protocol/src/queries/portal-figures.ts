import { z } from 'zod';
import { PORTAL_MEASURES } from '../measures.ts';
import { parseRowId } from '../row-id.ts';
import { strictQuery } from '../strict-fields.ts';
import { boundsInOrder, idFilter, listOf, pageFields, parameter, textFilter } from './query-fields.ts';
import { dayFields } from './series.ts';

const programIdError = 'program_id must be a positive integer';
const partnerFields = {
  partner_id: idFilter('partner_id').describe("Id of one of the user's partners. Defaults to all of them."),
  program_id: idFilter('program_id').describe('Id of a program. Defaults to all.'),
};

export const portalBalancesQuery = strictQuery(partnerFields);

export const portalSeriesQuery = strictQuery({
  program_id: parameter(
    z.int({ error: programIdError }).min(1, { error: programIdError }),
    (text) => parseRowId(text) ?? text,
  ).describe('Id of a program that the partner is enrolled in.'),
  measures: listOf('measures', PORTAL_MEASURES).describe(
    `Measures, separated by commas: ${PORTAL_MEASURES.join(', ')}. Defaults to all.`,
  ),
  ...dayFields,
}).check(boundsInOrder);

export const portalLinksQuery = strictQuery({ ...pageFields, ...partnerFields });

export const portalLinksCsvQuery = strictQuery(partnerFields);

export const portalLinkSeriesQuery = strictQuery({
  sub_id: textFilter('sub_id').describe('A sub-id of the link. Defaults to the whole link.'),
  ...dayFields,
}).check(boundsInOrder);

export const portalSubIdsQuery = strictQuery({ ...pageFields, ...dayFields }).check(boundsInOrder);

export const portalSubIdsCsvQuery = strictQuery(dayFields).check(boundsInOrder);
