/** One line of a plot: its name, and one value per position on the horizontal axis. */
export interface PlotLine {
  readonly name: string;
  readonly values: readonly number[];
}

export interface PlotOptions {
  readonly title: string;
  /** Second line of the title, for the machine. */
  readonly subtitle: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xs: readonly number[];
  readonly lines: readonly PlotLine[];
}

const WIDTH = 720;
const HEIGHT = 400;
const MARGIN = { top: 64, right: 90, bottom: 52, left: 70 };
const COLORS = ['#1b6ca8', '#d1781c', '#a8324a'];
const GRID_LINES = 5;

/** Renders a line plot as SVG, with its own background for light and dark pages. */
export function renderPlot(options: PlotOptions): string {
  const { xs, lines } = options;
  const yMax = niceCeiling(Math.max(...lines.flatMap(({ values }) => values)));
  const xAt = (x: number) => MARGIN.left + (x / Math.max(...xs)) * (WIDTH - MARGIN.left - MARGIN.right);
  const yAt = (y: number) => HEIGHT - MARGIN.bottom - (y / yMax) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, index) => (index * yMax) / GRID_LINES);
  const middleX = (MARGIN.left + WIDTH - MARGIN.right) / 2;
  const middleY = (MARGIN.top + HEIGHT - MARGIN.bottom) / 2;
  const parts = [
    `<title>${escapeXml(options.title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(MARGIN.left, 26, options.title, { size: 16, weight: 600 }),
    text(MARGIN.left, 46, options.subtitle, { size: 11 }),
    ...grid.flatMap((y) => [
      `<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${round(yAt(y))}" y2="${round(yAt(y))}" stroke="#dddddd"/>`,
      text(MARGIN.left - 8, yAt(y) + 4, String(Math.round(y)), { anchor: 'end' }),
    ]),
    ...xs.map((x) => text(xAt(x), HEIGHT - MARGIN.bottom + 18, String(x), { anchor: 'middle' })),
    text(middleX, HEIGHT - 12, options.xLabel, { anchor: 'middle' }),
    `<g transform="rotate(-90 18 ${round(middleY)})">${text(18, middleY, options.yLabel, { anchor: 'middle' })}</g>`,
    ...lines.flatMap(({ name, values }, index) => {
      const color = COLORS[index % COLORS.length]!;
      const points = values.map((y, at) => ({ x: xAt(xs[at]!), y: yAt(y) }));
      const last = points.at(-1)!;
      return [
        `<polyline points="${points.map(({ x, y }) => `${round(x)},${round(y)}`).join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>`,
        ...points.map(({ x, y }) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" fill="${color}"/>`),
        text(last.x + 8, last.y + 4, name, { color }),
      ];
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif">\n${parts.join('\n')}\n</svg>\n`;
}

interface TextStyle {
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: 'middle' | 'end';
  readonly color?: string;
}

function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { size = 12, weight = 400, anchor = 'start', color = '#222222' } = style;
  return `<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}" fill="${color}">${escapeXml(content)}</text>`;
}

/** The next of 1, 2 and 5 times a power of ten. */
function niceCeiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value)!;
}

function round(value: number): string {
  return value.toFixed(1);
}

function escapeXml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
