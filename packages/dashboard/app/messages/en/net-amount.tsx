import type { ComponentChildren, JSX } from 'preact';

/** The original amount, shown below the amount after refunds and adjustments. */
export const netOf = (amount: JSX.Element): ComponentChildren => <>of {amount}</>;
