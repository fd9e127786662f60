import { Icon, type IconName } from './icons.tsx';

/** Background colours by theme-independent hue; the glyphs on them are always dark. */
const COLOURS = ['#a9d6c5', '#f1c98b', '#e9b1a2', '#b7c4ea', '#d3bfe3', '#cfd79b', '#9fd0dd', '#e6b8cf'];

function hashOf(text: string): number {
  let hash = 7;
  for (let index = 0; index < text.length; index++) hash = (hash * 31 + text.charCodeAt(index)) >>> 0;
  return hash;
}

/** A mark of a voice: a colour and four bars that follow from its id. */
export function VoiceAvatar({
  seed,
  size,
  icon,
}: {
  readonly seed: string;
  readonly size: number;
  readonly icon?: IconName;
}) {
  const hash = hashOf(seed);
  const heights = [3, 8, 13, 18].map((shift) => 4 + ((hash >>> shift) % 9));
  return (
    <span className="relative inline-flex shrink-0 align-middle text-[#1c2b27]">
      <svg aria-hidden="true" width={size} height={size} viewBox="0 0 32 32">
        <circle cx="16" cy="16" r="16" fill={COLOURS[hash % COLOURS.length]} />
        {icon === undefined &&
          heights.map((height, index) => (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the bars have fixed places
              key={index}
              x={8 + index * 4.6}
              y={16 - height / 2}
              width="2.4"
              height={height}
              rx="1.2"
              fill="#1c2b27"
            />
          ))}
      </svg>
      {icon && (
        <span className="absolute inset-0 flex items-center justify-center">
          <Icon name={icon} size={Math.round(size * 0.45)} />
        </span>
      )}
    </span>
  );
}
