import { Slider as RadixSlider, Switch as RadixSwitch } from 'radix-ui';
import { type ReactNode, type SelectHTMLAttributes, useId } from 'react';
import { Icon } from './icons.tsx';

/** A label above a control. `children` gets the id of the control. */
export function Field({
  label,
  hint,
  children,
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly children: (id: string) => ReactNode;
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      {children(id)}
      {hint && <p className="mt-1 text-sm text-muted">{hint}</p>}
    </div>
  );
}

export function TextField({
  label,
  hint,
  value,
  onChange,
  ...rest
}: {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly type?: string;
  readonly placeholder?: string;
  readonly maxLength?: number;
  readonly required?: boolean;
  readonly autoComplete?: string;
  readonly inputMode?: 'decimal' | 'numeric' | 'text' | 'url';
}) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <input
          id={id}
          className="input"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
        />
      )}
    </Field>
  );
}

export function Select({
  label,
  isLabelHidden = false,
  options,
  value,
  onChange,
  ...rest
}: Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'value'> & {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {label}
      </label>
      <div className="relative">
        <select
          id={id}
          className="input appearance-none truncate pe-9"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          {...rest}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
        <span className="pointer-events-none absolute inset-y-0 end-2.5 flex items-center">
          <Icon name="down" size={16} />
        </span>
      </div>
    </div>
  );
}

export function Slider({
  label,
  value,
  min,
  max,
  step,
  format,
  onChange,
}: {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly format: (value: number) => string;
  readonly onChange: (value: number) => void;
}) {
  return (
    <div>
      <div className="mb-1 flex justify-between text-sm">
        <span className="font-medium">{label}</span>
        <span className="tabular-nums text-muted">{format(value)}</span>
      </div>
      <RadixSlider.Root
        className="relative flex h-8 w-full touch-none items-center"
        value={[value]}
        min={min}
        max={max}
        step={step}
        onValueChange={([next]) => next !== undefined && onChange(next)}
      >
        <RadixSlider.Track className="relative h-1 grow rounded-full bg-line">
          <RadixSlider.Range className="absolute h-full rounded-full bg-accent" />
        </RadixSlider.Track>
        <RadixSlider.Thumb
          aria-label={label}
          aria-valuetext={format(value)}
          className="block size-5 rounded-full border-2 border-accent bg-surface shadow"
        />
      </RadixSlider.Root>
    </div>
  );
}

export function Switch({
  label,
  hint,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <label htmlFor={id} className="text-sm">
        <span className="font-medium">{label}</span>
        {hint && <span className="block text-muted">{hint}</span>}
      </label>
      <RadixSwitch.Root
        id={id}
        checked={isOn}
        onCheckedChange={onChange}
        className="relative h-6 w-10 shrink-0 rounded-full border border-line-strong bg-sunken data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <RadixSwitch.Thumb className="block size-4 translate-x-1 rounded-full bg-line-strong transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-accent-ink rtl:-translate-x-1 rtl:data-[state=checked]:-translate-x-5" />
      </RadixSwitch.Root>
    </div>
  );
}
