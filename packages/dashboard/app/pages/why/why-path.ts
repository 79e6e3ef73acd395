/** The path of the page that explains a commission. Unlike `?q=#41`, it cannot mean a sale. */
export function whyCommission(programPage: string, commissionId: number): string {
  return `${programPage}/why?commission=${commissionId}`;
}
