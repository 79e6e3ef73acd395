import type { ComponentChildren, JSX } from 'preact';

/** The original amount, shown below the amount after refunds and adjustments: higher or lower. */
export const raisedFrom = (amount: JSX.Element): ComponentChildren => <>was {amount}</>;
export const netOf = (amount: JSX.Element): ComponentChildren => <>of {amount}</>;
