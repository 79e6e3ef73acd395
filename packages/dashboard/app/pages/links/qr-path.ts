/** Returns the dark modules of a QR code as SVG path data. Adjacent modules in a row form one rectangle. */
export function qrPathOf(modules: readonly (readonly boolean[])[]): string {
  return modules
    .flatMap((row, y) => runsOf(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`))
    .join('');
}

function runsOf(row: readonly boolean[]): { readonly x: number; readonly length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}

const PRINT_SIZE = 1024;

/** Returns the QR code as an SVG file, dark on white. */
export function svgFile(modules: readonly (readonly boolean[])[], size: number): string {
  const box = `width="${PRINT_SIZE}" height="${PRINT_SIZE}" viewBox="0 0 ${size} ${size}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box} shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${qrPathOf(modules)}"/></svg>\n`;
}
