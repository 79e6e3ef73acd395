import { formatCount } from '../../format/number.ts';
import { plural } from './plural.ts';

export const title = 'Import partners';
export const intro =
  'Choose a CSV file with the columns name and email. The columns code and status are optional. At most 500 partners at a time.';
export const chooseFile = 'Choose a file';
export const paste = 'Or paste the rows';
export const example = 'name,email,code,status\nAna Blogs,ana@example.com,ANA10,approved';
export const pasteHint =
  'The first line names the columns. The status is approved or pending, and approved if it is missing. Partners who are already in the program are not changed.';
export const check = 'Check the rows';
export const importCount = (count: number): string => `Import ${plural(count, 'partner', 'partners')}`;

interface Counts {
  readonly created: number;
  readonly existing: number;
  readonly failed: number;
}

const describe = ({ created, existing, failed }: Counts): string =>
  [
    `${formatCount(created)} new`,
    ...(existing > 0 ? [`${formatCount(existing)} already in the program`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} with ${failed === 1 ? 'an error' : 'errors'}`] : []),
  ].join(', ');

export const checked = (counts: Counts): string =>
  `Nothing is imported yet: ${describe(counts)}.${counts.failed > 0 ? ' Rows with errors are left out.' : ''}`;
export const imported = (counts: Counts): string => `Imported: ${describe(counts)}.`;
export const lost =
  'No reply arrived, so the partners may have been imported. Check the rows again. If the partners are in the program already, create their invitation links on their pages.';
export const importMore = 'Import more';
export const invitations = 'Invitations';
export const invitationsHint =
  'Send each partner their invitation link. This page is the only place that shows the links. They are valid for seven days.';

export const rows = 'Rows of the file';
export const noRows = 'The file has no rows.';
export const row = 'Row';
export const line = 'Line';
export const result = 'Result';
export const details = 'Details';
export const error = 'Error';
export const isNew = 'New';
export const isThere = 'Already in the program';
export const openPartner = 'Open the partner';
