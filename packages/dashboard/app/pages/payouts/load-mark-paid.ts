/** Loads the dialog when it is opened, because the page of the payouts is already large. */
export const loadMarkPaid = () => import('./mark-paid.tsx').then((module) => module.MarkPaid);
