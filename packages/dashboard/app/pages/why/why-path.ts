/** The path of the page that explains a commission. Unlike `?q=#41`, it never finds a sale with the id `#41`. */
export function whyCommission(programPage: string, commissionId: number): string {
  return `${programPage}/why?commission=${commissionId}`;
}
