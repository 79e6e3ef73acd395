export const showChart = 'Show as chart';
export const showTable = 'Show as table';
export const thisPeriod = 'This period';
export const periodBefore = 'Period before';
export const date = 'Date (UTC)';
export const value = 'Value';
export const point = (label: string, value: string): string => `${label}: ${value}`;
export const noData = 'No data';
