import { CEPSTRA, type ClipFrames, HOP_SECONDS } from './clip-frames.ts';
import type { SpeechRegion } from './speech-regions.ts';

/** Voiced frames that are averaged into one point. */
const POINT_FRAMES = Math.round(1 / HOP_SECONDS);

// Pitch distinguishes speakers as well as several cepstral coefficients.
const PITCH_WEIGHT = 2.5;

/**
 * Separation of the voices in a clip into two clusters: distance of their centres divided by the spread within them. Lower
 * for one speaker than for two. Two similar speakers cannot be distinguished. 0 with too little speech.
 */
export function speakerSpread(frames: ClipFrames, regions: readonly SpeechRegion[]): number {
  const points = pointsOf(frames, regions);
  if (points.length < 6) return 0;
  const groups = split(points);
  const [first, second] = groups;
  const smaller = Math.min(first.length, second.length);
  // A laugh or a cough is not a second speaker.
  if (smaller < Math.max(2, 0.15 * points.length)) return 0;
  const a = meanOf(first);
  const b = meanOf(second);
  const within = (spread(first, a) + spread(second, b)) / points.length;
  return Math.sqrt(distance(a, b) / Math.max(within, 1e-6));
}

type Point = Float64Array;

function pointsOf(frames: ClipFrames, regions: readonly SpeechRegion[]): Point[] {
  const points: Point[] = [];
  let sum = new Float64Array(CEPSTRA + 1);
  let count = 0;
  for (const { start, end } of regions) {
    for (let frame = start; frame < end; frame++) {
      const pitch = frames.pitchHz[frame] as number;
      if (pitch === 0) continue;
      for (let i = 0; i < CEPSTRA; i++)
        sum[i] = (sum[i] as number) + (frames.cepstra[frame * CEPSTRA + i] as number);
      sum[CEPSTRA] = (sum[CEPSTRA] as number) + PITCH_WEIGHT * Math.log2(pitch);
      if (++count < POINT_FRAMES) continue;
      points.push(sum.map((value) => value / count));
      sum = new Float64Array(CEPSTRA + 1);
      count = 0;
    }
  }
  return points;
}

/** Two clusters by k-means, initialised with two distant points. */
function split(points: readonly Point[]): [Point[], Point[]] {
  let [a, b] = furthest(points);
  let groups: [Point[], Point[]] = [[], []];
  for (let round = 0; round < 10; round++) {
    groups = [[], []];
    for (const point of points) groups[distance(point, a) <= distance(point, b) ? 0 : 1].push(point);
    if (groups[0].length === 0 || groups[1].length === 0) break;
    a = meanOf(groups[0]);
    b = meanOf(groups[1]);
  }
  return groups;
}

function furthest(points: readonly Point[]): [Point, Point] {
  const centre = meanOf(points);
  const farFrom = (origin: Point) =>
    points.reduce((best, point) => (distance(point, origin) > distance(best, origin) ? point : best));
  const a = farFrom(centre);
  return [a, farFrom(a)];
}

function meanOf(points: readonly Point[]): Point {
  const mean = new Float64Array(CEPSTRA + 1);
  for (const point of points)
    for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] as number) + (point[i] as number);
  return mean.map((value) => value / points.length);
}

function spread(points: readonly Point[], centre: Point): number {
  return points.reduce((sum, point) => sum + distance(point, centre), 0);
}

/** Squared Euclidean distance. */
function distance(a: Point, b: Point): number {
  return a.reduce((sum, value, i) => sum + (value - (b[i] as number)) ** 2, 0);
}
