import type { ComponentChildren, JSX } from 'preact';

/** The original amount of a commission, shown below a current amount that is higher (`was`) or lower (`of`). */
export const raisedFrom = (amount: JSX.Element): ComponentChildren => <>was {amount}</>;
export const netOf = (amount: JSX.Element): ComponentChildren => <>of {amount}</>;
