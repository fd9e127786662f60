import type { ButtonHTMLAttributes } from 'react';
import { Icon, type IconName } from './icons.tsx';

const STYLES = {
  primary:
    'bg-accent text-accent-ink hover:brightness-110 disabled:bg-sunken disabled:text-muted disabled:brightness-100',
  secondary:
    'bg-surface text-ink border border-line-strong hover:bg-sunken disabled:text-muted disabled:border-line',
  quiet: 'text-ink hover:bg-sunken disabled:text-muted',
  danger: 'bg-danger text-bg hover:brightness-110',
} as const;

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: keyof typeof STYLES;
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  readonly isBusy?: boolean;
}

export function Button({
  look = 'secondary',
  icon,
  isSmall = false,
  isBusy = false,
  className = '',
  children,
  disabled,
  ...rest
}: ButtonProps) {
  const size = isSmall ? 'min-h-8 px-2.5 text-sm gap-1.5' : 'min-h-10 px-4 gap-2';
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      className={`inline-flex items-center justify-center rounded-[9px] font-medium whitespace-nowrap ${size} ${STYLES[look]} ${className}`}
    >
      {isBusy ? <Spinner /> : icon && <Icon name={icon} size={isSmall ? 15 : 18} />}
      {children}
    </button>
  );
}

/** A button with an icon only. `label` is its accessible name and tooltip. */
export function IconButton({
  label,
  icon,
  isFilled = false,
  className = '',
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly label: string;
  readonly icon: IconName;
  readonly isFilled?: boolean;
}) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={`inline-flex size-9 shrink-0 items-center justify-center rounded-[9px] text-muted hover:bg-sunken hover:text-ink disabled:opacity-50 ${className}`}
    >
      <Icon name={icon} filled={isFilled} />
    </button>
  );
}

export function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-4 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  );
}
