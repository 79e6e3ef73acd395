const LAST_PROGRAM_KEYS = { advertiser: 'affkit-program', partner: 'affkit-partner-program' } as const;

type Side = keyof typeof LAST_PROGRAM_KEYS;

/** Id of the program that this browser showed last, or null. */
export function lastProgram(side: Side = 'advertiser'): number | null {
  try {
    const stored = Number(localStorage.getItem(LAST_PROGRAM_KEYS[side]));
    return stored > 0 ? stored : null;
  } catch {
    return null;
  }
}

/** Stores the id. A browser that blocks storage shows the first program instead. */
export function rememberProgram(id: number, side: Side = 'advertiser'): void {
  try {
    localStorage.setItem(LAST_PROGRAM_KEYS[side], String(id));
  } catch {}
}
