/** The color of a button and the color of its text. Both are `#rrggbb`. */
export interface AccentShade {
  readonly fill: string;
  readonly text: string;
}

type Rgb = readonly [red: number, green: number, blue: number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** WCAG 2.2, 1.4.11: the minimum contrast between a control and the colors around it. */
const MIN_CONTROL_CONTRAST = 3;
const MIX_STEPS = 20;

/**
 * Adapts the color of a button to its background. The color is mixed with black or white until the contrast
 * is high enough. The text becomes black or white, whichever has the higher contrast; this contrast is at
 * least 4.5.
 *
 * @param color `#rrggbb`
 * @param background `#rrggbb`
 */
export function accentShade(color: string, background: string): AccentShade {
  const [given, behind] = [toRgb(color), toRgb(background)];
  const target = luminanceOf(behind) > 0.2 ? BLACK : WHITE;
  let fill = given;
  for (let step = 1; step <= MIX_STEPS && contrastOf(fill, behind) < MIN_CONTROL_CONTRAST; step++) {
    fill = mix(given, target, step / MIX_STEPS);
  }
  const text = contrastOf(fill, WHITE) >= contrastOf(fill, BLACK) ? WHITE : BLACK;
  return { fill: toHex(fill), text: toHex(text) };
}

/** Returns the contrast ratio of two colors as defined by WCAG 2, from 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  return contrastOf(toRgb(one), toRgb(other));
}

function contrastOf(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf([red, green, blue]: Rgb): number {
  const linear = (channel: number) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function mix([red, green, blue]: Rgb, target: Rgb, share: number): Rgb {
  const part = (from: number, to: number) => Math.round(from + (to - from) * share);
  return [part(red, target[0]), part(green, target[1]), part(blue, target[2])];
}

function toRgb(color: string): Rgb {
  const channel = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [channel(1), channel(3), channel(5)];
}

function toHex(rgb: Rgb): string {
  return `#${rgb.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}
