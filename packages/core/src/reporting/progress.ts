/** Receives the progress of a long operation, from 0 to 1. */
export type OnProgress = (fraction: number) => void;
